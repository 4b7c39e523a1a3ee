"""What somebody tries who wants out of a widget, or to have it do more than show text."""

HOSTILE = (
    "<img src=x onerror=parent.hacked=document.title='hacked'>",
    "</script><script>document.title='hacked'</script><!--",
    "<svg onload=document.title='hacked'><style>*{display:none}</style></svg>",
    "\N{RIGHT-TO-LEFT OVERRIDE}txt.exe\N{RIGHT-TO-LEFT ISOLATE}\N{LEFT-TO-RIGHT EMBEDDING} abc",
    "{{constructor.constructor('document.title=1')()}} ${document.title='hacked'} {0} {1} &lt;b&gt;",
    "\N{FAMILY}\N{ZERO WIDTH JOINER}\N{GIRL}\N{EMOJI MODIFIER FITZPATRICK TYPE-5}" * 20,
    "Z" * 10_000,
)

STRANGE = """() => {
    const ours = 'main header h1 h2 p span bdi section ol ul li details summary blockquote form label textarea div '
        + 'button progress table caption thead tbody tr th td svg rect select option input strong';
    const found = [...document.body.querySelectorAll('*')].map(one => one.localName);
    const scripts = document.querySelectorAll('script').length;
    const strange = found.filter(name => !`${ours} script noscript`.split(' ').includes(name));
    const handlers = [...document.querySelectorAll('*')].filter(one => [...one.attributes].some(
        each => each.name.startsWith('on') || /^\\s*javascript:/i.test(each.value)));
    return [...strange, ...handlers.map(one => one.outerHTML), ...(scripts > 2 ? ['script'] : []),
        ...(document.title === 'Minds' ? [] : [document.title]), ...(window.hacked ? ['hacked'] : []),
        ...(document.documentElement.scrollWidth > innerWidth ? ['too wide'] : [])];
}"""
"""What is in the widget that it did not make itself."""

NAMELESS = """() => [...document.querySelectorAll('button, input, select, textarea, progress, table, summary')]
    .filter(one => ![one.ariaLabel, one.labels?.[0]?.textContent, one.caption?.textContent, one.textContent].some(
        name => name?.trim()))
    .map(one => one.outerHTML)"""
"""Parts without a name for screen readers."""

BREAK_OUT = """async url => {
    const PARTS = { script: 'src', img: 'src', iframe: 'src', link: 'href', object: 'data', video: 'src' };
    const never = () => new Promise((_, no) => setTimeout(no, 300));
    const opened = one => new Promise((yes, no) => Object.assign(one, { onopen: yes, onerror: no }));
    const part = (tag, name) => new Promise((yes, no) => {
        const made = Object.assign(document.createElement(tag), { onerror: no, rel: 'stylesheet' });
        if (tag !== 'iframe') made.onload = yes;  // which a frame does when it is refused, too
        made[name] = url;
        document.body.append(made);
        setTimeout(no, 1_000);
    });
    const attempts = {
        fetch: () => fetch(url, { mode: 'no-cors' }),
        post: () => fetch(url, { method: 'POST', body: document.body.innerText, mode: 'no-cors' }),
        beacon: () => { navigator.sendBeacon(url, 'x'); return never(); },
        socket: () => opened(new WebSocket(url.replace('http', 'ws'))),
        events: () => opened(new EventSource(url)),
        parent: () => parent.document.title,
        top: () => { top.location.href = url; },
        popup: () => { if (!open(url)) throw new Error(); },
        cookie: () => document.cookie,
        storage: () => localStorage.length,
        ...Object.fromEntries(Object.entries(PARTS).map(([tag, name]) => [tag, () => part(tag, name)])),
    };
    const found = {};
    for (const [name, attempt] of Object.entries(attempts)) {
        found[name] = await Promise.resolve().then(attempt).then(() => 'done', () => 'refused');
    }
    return found;
}"""
"""How each way out of the widget to `url` went."""

LEAVE = (
    """url => {
        const form = Object.assign(document.createElement('form'), { action: url, method: 'post' });
        document.body.append(form);
        form.submit();
    }""",
    "url => { location.href = url; }",
)
"""Ways to take the frame itself there."""
