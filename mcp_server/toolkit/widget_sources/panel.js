// A panel: what it answered to each question, for everybody or for one group, and as it comes in.
const state = { asked: null, panelId: null, panel: '', questions: [], at: 0, group: '', attributes: null, done: null, total: null, problem: null, notice: '', busy: false };
let watching = 0;

const ASKING_MS = 90_000;  // for which a call of the tool may take
const FORMATS = { pdf: 'PDF', xlsx: 'Excel', csv: 'CSV', md: 'Markdown', json: 'JSON' };
const number = (value, digits = 2) => new Intl.NumberFormat(host.locale, { maximumFractionDigits: digits }).format(value);
const percent = share => `${number(share * 100, 0)} %`;

const difference = ({ measure, difference, first, second }) => {
  const [how, much] = measure === 'mean' ? ['points', number(Math.abs(difference))] : ['percentagePoints', number(Math.abs(difference) * 100, 0)];
  return [measure !== 'mean' && [bdi(measure), ': '], bdi(first), ` ${words(how, much)} ${words(difference < 0 ? 'below' : 'above')} `, bdi(second)];
};

const bar = share => el('svg', { viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, el('rect', { width: share * 100, height: 8, rx: 1 }));

const silent = ({ declined, uncoded, failed }) => [
  declined && words('noView', declined), uncoded && words('uncoded', uncoded), failed && words('failed', failed),
].filter(Boolean).join(', ');

const summaryView = (name, summary, isScale) => el('section', {},
  el('h2', {}, bdi(name), ' ', el('span', { class: 'soft' }, words('answered', summary.n, summary.members))),
  summary.n < summary.members && !summary.pending ? el('p', { class: 'soft' }, silent(summary)) : null,
  summary.value && el('p', {}, el('strong', {}, bdi(summary.value))),
  summary.scale && el('p', {}, words('mean', number(summary.scale.mean), number(summary.scale.median), summary.n)),
  summary.counts.length ? el('table', { class: isScale && 'short' },
    el('caption', { class: 'hidden' }, words('distribution')),
    el('thead', { class: 'hidden' }, el('tr', {}, ['answer', 'distribution', 'share', 'count'].map(each => el('th', { scope: 'col' }, words(each))))),
    el('tbody', {}, summary.counts.map(one => el('tr', {},
      el('th', { scope: 'row' }, bdi(one.value)), el('td', { class: 'bar' }, bar(one.share)),
      el('td', { class: 'figure' }, percent(one.share)), el('td', { class: 'figure' }, String(one.count)))))) : null);

const listed = (title, items, draw) => items?.length ? el('section', {}, el('h2', {}, words(title)), el('ul', { class: 'plain' }, items.map(each => el('li', {}, draw(each))))) : null;
const quote = ({ text, persona, group }) => el('blockquote', {}, bdi(text), el('div', { class: 'soft' }, bdi(persona), ', ', bdi(group)));

const questionView = question => {
  const chosen = state.group;
  const inGroup = each => !chosen || each.group === chosen;
  const { groups } = question;  // with `by`, the values of those attributes
  return [
    !chosen && summaryView(words('everyone'), question.overall, question.type === 'scale'),
    ...(groups.length > 1 || chosen ? groups.filter(inGroup).map(each => summaryView(each.group, each, question.type === 'scale')) : []),
    listed('comparison', question.differences.filter(each => !chosen || each.first === chosen || each.second === chosen), each => [
      difference(each), ' ',
      el('span', { class: 'badge' }, words(each.clear ? 'clear' : 'unclear'))]),
    listed('themes', question.themes.filter(each => !chosen || each.byGroup.some(one => one.group === chosen && one.count)), each => [
      el('strong', {}, bdi(each.label)), ' ', el('span', { class: 'soft' }, `${each.count} · ${percent(each.share)}`),
      each.quote && inGroup(each.quote) && quote(each.quote)]),
    listed('dissent', question.dissent.filter(inGroup), each => [
      el('strong', {}, bdi(each.persona)), ': ', bdi(each.value), ' ', el('span', { class: 'soft' }, bdi(each.reason)),
      each.quote && el('blockquote', {}, bdi(each.quote))]),
    listed('quotes', question.quotes.filter(inGroup), quote),
    question.caveats.length && question.status !== 'processing' ? el('section', { class: 'notes' }, el('h2', {}, words('mind')), el('ul', {}, question.caveats.map(each => el('li', {}, bdi(each.message))))) : null,
  ];
};

const choice = (id, title, values, chosen, change) => values.length > 1 ? el('div', { class: 'choice' },
  el('label', { for: id }, words(title)),
  el('select', { id, onchange: event => change(event.target.value) }, values.map(([value, text]) => el('option', { value, selected: String(value) === String(chosen) }, text)))) : null;

const controls = question => el('div', { class: 'actions' },
  choice('question', 'question', state.questions.map((each, at) => [at, each.question]), state.at, at => { state.at = Number(at); state.group = ''; draw(); }),
  choice('group', 'group', [['', words('everyone')], ...question.groups.map(each => [each.group, each.group])], state.group, group => { state.group = group; draw(); }),
  choice('by', 'compareBy', [['', words('group')], ...(state.attributes ?? []).map(each => [each, each])], question.by?.[0] ?? '', compareBy));

const exportButtons = () => host.canCall ? el('section', { 'aria-label': words('export') }, el('div', { class: 'actions exports' }, el('span', { class: 'soft' }, words('export')),
  Object.entries(FORMATS).map(([format, name]) => el('button', { type: 'button', class: 'second', id: `export-${format}`, disabled: state.busy, 'aria-label': `${words('export')} ${name}`, onclick: () => exportAs(format) }, name)))) : null;

const draw = () => {
  const question = state.questions[state.at];
  const running = state.total != null && state.done < state.total;
  show(
    el('header', { class: 'head' }, el('h1', {}, bdi(question?.question ?? state.panel)), el('span', { class: 'soft' }, `${words('panel')}: `, bdi(state.panel))),
    running && el('section', {}, el('progress', { max: state.total, value: state.done, 'aria-label': words('asking') }), el('p', { role: 'status', class: 'soft' }, words('answered', state.done, state.total))),
    question ? [controls(question), questionView(question), exportButtons()] : el('p', {}, words('nothing')),
    el('p', { role: 'status' }, bdi(state.notice)),
    state.problem && el('p', { class: 'error', role: 'alert' }, bdi(state.problem)));
};

// A call whose failure stands on the page.
const attempt = async (name, args, take) => {
  Object.assign(state, { busy: true, problem: null, notice: '' });
  draw();
  try {
    const result = await host.call(name, { panelId: state.panelId, questionId: state.questions[state.at].questionId, ...args });
    state.problem = failureOf(result);
    if (!state.problem) take(result.structuredContent);
  } catch {
    state.problem = words('unreachable');
  }
  state.busy = false;
  draw();
};

const compareBy = attribute => attempt('get_panel_results', attribute ? { by: [attribute] } : {}, content => {
  state.questions[state.at] = content.questions[0] ?? state.questions[state.at];
  state.group = '';
});

const exportAs = format => attempt('export_panel', { format }, content => {
  state.notice = words('exported', content.fileName);
  host.open(content.url).catch(() => { state.notice = content.url; draw(); });
});

// By what those who answered can be compared: the keys of their tags, such as "role: nurse".
const readAttributes = async () => {
  state.attributes = [];
  const told = await host.call('list_my_ai_personas', {}).catch(() => null);
  const members = new Set(state.questions.flatMap(each => each.answers.map(one => one.personaId)));
  const tags = (told?.structuredContent?.personas ?? []).filter(each => members.has(each.id)).flatMap(each => each.tags);
  state.attributes = [...new Set(tags.filter(each => each.includes(': ')).map(each => each.split(': ')[0].trim().toLowerCase()))].sort();
  if (state.attributes.length) draw();
};

// What either tool tells: the answer to one question (or several), or all that a panel was asked.
const took = content => {
  Object.assign(state, { panelId: content.panelId, panel: content.panel });
  const newest = content.questions ?? [...(content.result ? [content.result] : []), ...(content.earlier ?? []).toReversed()];
  const before = new Map(state.questions.map(each => [each.questionId, each]));
  for (const each of newest) before.delete(each.questionId);
  state.questions = [...newest, ...before.values()];
  const { overall } = state.questions[0] ?? {};
  [state.done, state.total] = overall ? [overall.members - overall.pending, overall.members] : [content.done, content.total];
  draw();
  const isRunning = content.status === 'processing' || (content.questions ?? []).some(each => each.status === 'processing');
  if (host.canCall && !isRunning && !state.attributes) readAttributes();
  return isRunning ? 2_000 : null;
};

const result = ({ structuredContent: content, isError, content: blocks, _meta: meta }) => {
  const round = ++watching;
  const problem = failureOf({ isError, structuredContent: content, content: blocks });
  if (problem) {
    refuse(problem);
  } else if (content.status === 'estimated') {
    show(el('h1', {}, bdi(content.panel)), el('p', {}, bdi(content.nextStep)));
  } else if (took(content) !== null) {
    follow({
      live: meta?.['minds/live'],
      poll: () => host.call('get_panel_results', { panelId: content.panelId, ...(content.questionId ? { questionId: content.questionId } : {}) }),
      take: took,
      stopped: () => round !== watching,
    });
  }
};

// While the tool itself waits for the answers, its result is not there: read them as they come in.
const watchAsking = ({ panelId, panelName, question }) => {
  const round = ++watching, until = Date.now() + ASKING_MS;
  follow({
    poll: () => host.call('get_panel_results', panelId ? { panelId } : { panelName }),
    take: content => {
      const [newest] = content.questions;
      if (newest?.status === 'processing' && newest.question === question) took({ ...content, questions: [newest] });
      return 2_000;
    },
    stopped: () => round !== watching || Date.now() > until,
  });
};

const host = new Host({
  toolInput: input => {
    if (state.asked || state.panelId) return;
    state.asked = input;
    show(el('p', { role: 'status' }, words('asking'), ' ', bdi(input.question ?? input.panelName ?? '')));
    if (input.question && !input.estimateOnly && (input.panelId ?? input.panelName)) watchAsking(input);
  },
  toolResult: result,
  cancelled: () => { watching += 1; show(el('p', { role: 'status' }, words('cancelled'))); },
  teardown: () => { watching += 1; },
  alone: () => show(el('p', {}, words('alone'))),
});
show(el('p', { role: 'status' }, words('waiting')));
host.connect();
