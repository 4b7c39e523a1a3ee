// A persona: its training as it goes on, then a conversation.
const state = { input: null, persona: null, training: null, items: null, turns: [], asked: null, problem: null, busy: false, draft: '' };
let watching = 0;

const KNOWN = 50;  // turns that a call takes along

const sourcesOf = ({ citations = [] }) => citations.map(cited => el('details', {},
  el('summary', {}, words('source', cited.index, ''), bdi(cited.title)),
  cited.snippet && el('blockquote', {}, bdi(cited.snippet)),
  /^https?:/i.test(cited.link ?? '') && el('button', { type: 'button', class: 'second', onclick: () => host.open(cited.link) }, words('open'))));

const said = text => el('bdi', { dir: 'auto', class: 'said' }, text);

const turnOf = turn => turn.role === 'user'
  ? el('li', { class: 'own' }, el('span', { class: 'who' }, words('you')), said(turn.content))
  : el('li', {}, el('span', { class: 'who' }, bdi(state.persona.name)), said(turn.content), ...sourcesOf(turn),
    turn.note && el('p', { class: 'soft' }, turn.note));

const trainingView = () => {
  const { training, items } = state;
  if (!training || training.readyToChat) return null;
  const { status, progress, stage, knowledge, failure, message, nextStep } = training;
  const isOn = !failure && status !== 'empty';  // an empty one waits for knowledge, not for time
  return el('section', { 'aria-label': words('training') },
    progress != null && isOn && el('progress', { max: 100, value: progress, 'aria-label': words('training') }),
    el('p', { role: 'status', class: failure ? 'error' : '' }, bdi(message)),
    stage && isOn && el('p', { class: 'soft' }, STAGES[stage] ?? stage),
    failure && el('p', {}, failure.whatToDo),
    failure && nextStep && nextStep !== failure.whatToDo && el('p', { class: 'soft' }, nextStep),
    knowledge?.total ? el('p', { class: 'soft' }, words('read', knowledge.completed, knowledge.total)) : null,
    items?.length ? el('ul', { class: 'plain', 'aria-label': words('sources') }, items.map(item => el('li', {}, bdi(item.title ?? item.name ?? item.id), ' ', el('span', { class: 'badge' }, SOURCE_STATES[item.status] ?? SOURCE_STATES.running)))) : null);
};

const chatView = () => {
  if (!state.training?.readyToChat) return null;
  if (!host.canCall) return el('p', { class: 'soft' }, words('noCalls'));
  const field = el('textarea', { id: 'message', rows: 2, maxlength: 10_000, required: true });
  field.value = state.draft;
  field.addEventListener('input', () => { state.draft = field.value; });
  field.addEventListener('keydown', event => {
    if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  const form = el('form', { onsubmit: event => { event.preventDefault(); talk(field.value.trim()); } },
    el('label', { for: 'message' }, words('say', ''), bdi(state.persona.name)), field,
    el('div', { class: 'actions' }, el('button', { id: 'send', disabled: state.busy }, words('send'))));
  return form;
};

const draw = () => show(
  el('header', { class: 'head' },
    el('h1', {}, bdi(state.persona.name)),
    state.training?.readyToChat && el('span', { class: 'badge' }, words('ready'))),
  trainingView(),
  state.turns.length ? el('ol', { class: 'turns' }, state.turns.map(turnOf)) : null,
  state.busy && el('p', { role: 'status', class: 'soft' }, words('thinking', state.persona.name)),
  state.problem && el('div', { class: 'notes', role: 'alert' }, el('p', {}, bdi(state.problem)),
    state.asked && host.canCall && el('button', { id: 'retry', type: 'button', class: 'second', onclick: () => talk(state.asked) }, words('retry'))),
  chatView());

const answered = content => {
  state.persona = { id: content.sparkId, name: content.sparkName };
  state.training = { readyToChat: true };
  state.turns.push({ role: 'assistant', content: content.message, citations: content.citations, note: content.provenance?.explanation });
};

const talk = async message => {
  if (!message || state.busy) return;
  const before = state.turns.map(({ role, content }) => ({ role, content })).slice(-KNOWN);
  Object.assign(state, { busy: true, problem: null, asked: message, draft: '' });
  state.turns.push({ role: 'user', content: message });
  draw();
  try {
    const result = await host.call('talk_to_ai_persona', { sparkId: state.persona.id, message, ...(before.length ? { conversationHistory: before } : {}) });
    state.problem = failureOf(result);
    if (!state.problem) {
      answered(result.structuredContent);
      announce(`${state.persona.name}: ${state.turns.at(-1).content}`);
    }
  } catch {
    state.problem = words('unreachable');
  }
  if (state.problem) state.turns.pop();  // it was not said
  else state.asked = null;
  if (state.problem && !state.draft) state.draft = message;
  state.busy = false;
  draw();
  document.getElementById('message')?.focus();
  if (!state.problem) host.remember(`In the widget the user asked "${state.persona.name}": ${message}\nIt answered: ${state.turns.at(-1).content}`);
};

const readSources = async () => {
  const result = await host.call('list_knowledge', { sparkId: state.persona.id }).catch(() => null);
  state.items = result?.structuredContent?.items ?? state.items;
};

const trained = content => {
  state.persona = { id: content.sparkId, name: content.name };
  state.training = content;
  draw();
  if (host.canCall && !content.readyToChat) readSources().then(draw);
  return content.readyToChat || content.pollAfterMs == null ? null : content.pollAfterMs;
};

// What was said before the answer that the result holds.
const opening = input => [...(input?.conversationHistory ?? []), ...(input?.message ? [{ role: 'user', content: input.message }] : [])];

const result = ({ structuredContent: content, isError, content: blocks, _meta: meta }) => {
  const round = ++watching;
  const problem = failureOf({ isError, structuredContent: content, content: blocks });
  if (problem) {
    refuse(problem);
  } else if (content.sparkName !== undefined) {
    state.turns = opening(state.input);
    answered(content);
    draw();
  } else if (trained(content) !== null) {
    follow({
      live: meta?.['minds/live'],
      poll: () => host.call('check_ai_persona_training_progress', { sparkId: content.sparkId }),
      take: trained,
      stopped: () => round !== watching,
    });
  }
};

const host = new Host({
  toolInput: input => {
    if (state.persona && !state.input && state.turns.length) {  // the result was there before
      state.turns.unshift(...opening(input));
      draw();
    }
    state.input = input;
    if (!state.persona) show(el('p', { role: 'status' }, input.mode ? words('creating', input.name ?? '') : words('asking')));
  },
  toolResult: result,
  cancelled: () => { watching += 1; show(el('p', { role: 'status' }, words('cancelled'))); },
  teardown: () => { watching += 1; },
  alone: () => show(el('p', {}, words('alone'))),
});
show(el('p', { role: 'status' }, words('waiting')));
host.connect();
