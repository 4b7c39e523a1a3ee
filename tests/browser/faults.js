// What is wrong with the page for people who see little, use the keyboard or hold a phone. WCAG 2.2, level AA.
// Evaluated by the tests; returns one line for each fault.
() => {
  const faults = [];
  const say = (rule, element, detail = '') => faults.push(
    `${rule}: <${element.tagName.toLowerCase()}> ${(element.id || element.name || element.textContent).trim().slice(0, 40)} ${detail}`.trim());
  const all = selector => [...document.querySelectorAll(selector)];
  const isShown = element => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  const controls = all('a[href], button, input:not([type=hidden]), select, textarea, summary').filter(isShown);

  // 1.4.3 and 1.4.11: contrast, computed as the browser paints it.
  const parse = text => {
    const found = /^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:[,/ ]+([\d.]+))?\)$/.exec(text);
    if (!found) throw new Error(`a color that this check does not know: ${text}`);
    return [Number(found[1]), Number(found[2]), Number(found[3]), found[4] === undefined ? 1 : Number(found[4])];
  };
  const over = (top, below) => [0, 1, 2].map(i => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const ground = element => {
    if (!element) return [255, 255, 255, 1];
    const color = parse(getComputedStyle(element).backgroundColor);
    return color[3] === 1 ? color : over(color, ground(element.parentElement));
  };
  const light = color => {
    const [r, g, b] = color.slice(0, 3).map(v => v / 255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
    return (bright + 0.05) / (dark + 0.05);
  };
  const checkText = (element, style) => {
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const back = ground(element);
    const ratio = contrast(over(parse(style.color), back), back);
    if (ratio < (isLarge ? 3 : 4.5)) say('contrast', element, `${ratio.toFixed(2)} ${style.color}`);
  };
  for (const element of all('body *').filter(isShown)) {
    const hasText = [...element.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (hasText || element.value) checkText(element, getComputedStyle(element));
    if (element.placeholder) checkText(element, getComputedStyle(element, '::placeholder'));
    if (element.matches('input:not([type=checkbox], [type=radio]), select, textarea')) {
      const ratio = contrast(parse(getComputedStyle(element).borderTopColor), ground(element.parentElement));
      if (ratio < 3) say('border contrast', element, ratio.toFixed(2));
    }
  }

  // 2.5.8: a target holds 24 by 24 pixels, unless it is a link within a sentence.
  for (const control of controls) {
    const boxes = [control, ...(control.labels ?? [])].map(each => each.getBoundingClientRect());
    const isInSentence = control.matches('p a, li a, dd a') && getComputedStyle(control).display === 'inline';
    if (!isInSentence && !boxes.some(box => box.width >= 24 && box.height >= 24)) say('target', control);
  }

  // 1.4.10: nothing to scroll sideways.
  const page = document.documentElement;
  if (page.scrollWidth > page.clientWidth) {
    const wide = all('body *').filter(each => each.getBoundingClientRect().right > page.clientWidth);
    say('sideways', wide[0] ?? page, `${page.scrollWidth} > ${page.clientWidth}`);
  }

  // 1.3.1, 2.4.2, 2.4.6, 3.1.1, 3.3.2, 4.1.2: structure and names.
  if (!page.lang) say('language', page);
  if (!document.title) say('title', page);
  if (all('main').length !== 1) say('main', page);
  if (all('h1').length !== 1) say('one h1', page, String(all('h1').length));
  all('h1, h2, h3, h4').map(heading => Number(heading.tagName[1])).reduce((above, level, i) => {
    if (level > above + 1) say('heading level', all('h1, h2, h3, h4')[i]);
    return level;
  }, 0);
  const viewport = document.querySelector('meta[name=viewport]')?.content ?? '';
  if (/user-scalable|maximum-scale/.test(viewport)) say('zoom', page);
  const nameOf = element => [
    element.ariaLabel, ...[...(element.labels ?? [])].map(label => label.textContent),
    ...(element.getAttribute('aria-labelledby') ?? '').split(' ').map(id => document.getElementById(id)?.textContent),
    element.matches('a, button, summary') ? element.textContent : '',
  ].join('').trim();
  controls.filter(control => !nameOf(control)).forEach(control => say('name', control));
  const boxes = controls.filter(control => control.matches('[type=checkbox], [type=radio]'));
  if (boxes.length > 1) boxes.filter(box => !box.closest('fieldset')).forEach(box => say('no group', box));
  all('fieldset').filter(set => set.firstElementChild?.tagName !== 'LEGEND').forEach(set => say('legend', set));
  all('img:not([alt])').forEach(image => say('alt', image));
  all('th:not([scope])').forEach(cell => say('scope', cell));
  all('[tabindex]').filter(each => each.tabIndex > 0).forEach(each => say('tabindex', each));
  const ids = all('[id]').map(each => each.id);
  all('[id]').filter((each, i) => ids.indexOf(each.id) !== i).forEach(each => say('id twice', each));
  for (const attribute of ['for', 'aria-describedby', 'aria-labelledby', 'aria-controls']) {
    all(`[${attribute}]`).filter(each => each.getAttribute(attribute).split(' ').some(id => !ids.includes(id)))
      .forEach(each => say(`${attribute} leads nowhere`, each));
  }
  return faults;
}
