// Explores what the page says without it: tables are sorted, filtered and copied as CSV, figures
// gone through point by point and curve by curve. Every choice is the value of a control with a
// name, and the link of the page keeps them: #section~name=value&name=value.
'use strict';
(() => {
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const labelled = (element, text) => {
    element.setAttribute('aria-label', text);
    return element;
  };

  // Names count what is below the nearest thing with an id, so that a link survives a change
  // elsewhere on the page.
  const counts = {};
  const nameOf = (element, kind) => {
    const home = element.closest('[id]');
    const prefix = (home ? home.id : '') + '.' + kind;
    return prefix + (counts[prefix] = (counts[prefix] || 0) + 1);
  };

  // ---- The link.

  const controls = new Map();
  let anchor = '';
  const keep = () => {
    const state = new URLSearchParams();
    for (const [name, control] of controls) if (control.value) state.set(name, control.value);
    const text = state.toString();
    history.replaceState(null, '', '#' + anchor + (text && '~' + text));
  };
  const control = (element, name, changed) => {
    element.name = name;
    controls.set(name, element);
    element.addEventListener('input', () => { changed(); keep(); });
    return element;
  };
  const follow = () => {
    const [section, state] = location.hash.slice(1).split('~');
    anchor = section;
    if (state === undefined) { // a link within the page: all choices stay
      if ([...controls.values()].some(c => c.value)) keep();
      return;
    }
    const values = new URLSearchParams(state);
    for (const [name, c] of controls) {
      const value = values.get(name) || '';
      if (c.value === value) continue;
      c.value = value;
      c.dispatchEvent(new Event('input'));
      for (let e = c.parentElement; e; e = e.parentElement) if (e.tagName === 'DETAILS') e.open = true;
    }
    const target = document.getElementById(decodeURIComponent(section));
    if (target) target.scrollIntoView();
  };

  // ---- Tables.

  // What a cell says: neither signs beside words nor what is folded away.
  const plain = cell => {
    const copy = cell.cloneNode(true);
    for (const e of copy.querySelectorAll('[aria-hidden], details, .label, .tools')) e.remove();
    for (const e of copy.querySelectorAll('br')) e.replaceWith(' ');
    return copy.textContent.replace(/\s+/g, ' ').trim();
  };
  // The number that a cell begins with, NaN for none: "0.83 ± 0.01", "−3 %", "≥ 5", "1.2 ms", "×4".
  const units = { ns: 1e-9, 'µs': 1e-6, ms: 1e-3, min: 60, h: 3600 };
  const numeric = text => {
    const m = /^[<>≤≥×~\s]*([-−+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?|∞)\s*(ns|µs|ms|min|h)?(?![\w.])/i.exec(text);
    if (!m) return NaN;
    const value = m[1] === '∞' ? Infinity : +m[1].replace('−', '-').replace(/,/g, '');
    return value * (units[m[2]] || 1);
  };
  const order = new Intl.Collator('en', { numeric: true }).compare;
  const select = (label, choices) => labelled(make('select', {},
    ...choices.map(([value, text]) => make('option', { value }, text))), label);
  // Columns of which a choice is offered, and for no more values than these.
  const chosen = /paper|verdict|this run|published|budget|^ε$|method|release|algorithm|dataset|data$|experiment|what|task|state|result|phase/i;
  const mostValues = 40;

  const explore = table => {
    const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
    const rows = [...body.rows], name = nameOf(table, 't');
    if (rows.length < 2) return;
    const texts = rows.map(row => [...row.cells].map(plain));
    const titles = heads.map(plain);
    const caption = table.caption ? plain(table.caption) : titles.join(', ');
    const tools = labelled(make('div', { className: 'tools' }), 'Tools for the table: ' + caption);
    tools.setAttribute('role', 'group');

    // Sorting. The buttons in the heads change the list, which phones show where heads are hidden.
    const choices = [['', 'as on the page']];
    titles.forEach((title, i) => choices.push([i + 'a', title + ' ↑'], [i + 'd', title + ' ↓']));
    const sorted = control(select('Order of the rows', choices), name + '.sort', () => {
      const column = parseInt(sorted.value), down = sorted.value.endsWith('d');
      const shown = rows.map((row, i) => ({ row, i, text: texts[i][column] || '' }));
      if (sorted.value) {
        const some = shown.filter(e => e.text);
        const numbers = some.filter(e => !isNaN(numeric(e.text))).length > some.length / 2;
        for (const e of shown) {
          e.key = numbers ? numeric(e.text) : e.text;
          e.empty = numbers ? isNaN(e.key) : !e.text;
        }
        shown.sort((a, b) => { // what has no value comes last, whatever the direction
          if (a.empty || b.empty) return a.empty - b.empty || a.i - b.i;
          const by = numbers ? (a.key > b.key) - (a.key < b.key) : order(a.key, b.key);
          return (down ? -by : by) || a.i - b.i;
        });
      }
      body.append(...shown.map(e => e.row));
      heads.forEach((head, i) => {
        if (i === column) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        else head.removeAttribute('aria-sort');
      });
    });
    sorted.className = table.matches('.cards') ? 'order folded' : 'order';
    heads.forEach((head, i) => {
      if (!titles[i]) return;
      const button = make('button', { type: 'button', className: 'sort' });
      for (const node of [...head.childNodes]) {
        if (!node.querySelector?.('a') && node.nodeName !== 'A') button.append(node);
      }
      if (!button.textContent.trim()) labelled(button, 'Sort by ' + titles[i]); // beside a link
      button.addEventListener('click', () => {
        const next = { [i + 'a']: i + 'd', [i + 'd']: '' };
        sorted.value = sorted.value in next ? next[sorted.value] : i + 'a';
        sorted.dispatchEvent(new Event('input'));
      });
      head.append(button);
    });

    // Filters.
    const status = make('output');
    const filters = [];
    const filter = () => {
      let n = 0;
      rows.forEach((row, i) => {
        row.hidden = !filters.every(f => f(i));
        n += !row.hidden;
      });
      status.textContent = n < rows.length ? `${n} of ${rows.length} rows` : '';
    };
    if (rows.length > 5) {
      const box = labelled(make('input', { type: 'search', placeholder: 'Filter' }),
        'Show rows with these words');
      control(box, name + '.words', filter);
      filters.push(i => {
        const text = texts[i].join(' ').toLowerCase();
        return box.value.toLowerCase().split(/\s+/).every(word => text.includes(word));
      });
      tools.append(box);
      titles.forEach((title, column) => {
        if (!chosen.test(title)) return;
        const value = i => {
          const chip = rows[i].cells[column]?.querySelector('.chip');
          return chip ? plain(chip) : texts[i][column] || '';
        };
        const values = [...new Set(rows.map((_, i) => value(i)))].filter(v => v).sort(order);
        if (values.length < 2 || values.length > mostValues || values.length === rows.length) return;
        const list = select(title, [['', title + ': all'], ...values.map(v => [v, v])]);
        control(list, `${name}.${column}`, filter);
        filters.push(i => !list.value || value(i) === list.value);
        tools.append(list);
      });
    }

    // Copying: the rows shown, in their order.
    const copy = make('button', { type: 'button' }, 'Copy as CSV');
    copy.addEventListener('click', async () => {
      const lines = [titles, ...[...body.rows].filter(r => !r.hidden).map(r => texts[rows.indexOf(r)])];
      const csv = lines.map(line => line.map(text =>
        /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text).join(',') + '\n').join('');
      try {
        await navigator.clipboard.writeText(csv);
      } catch { // no clipboard for files in some browsers
        const area = make('textarea', { value: csv });
        copy.after(area);
        area.select();
        document.execCommand('copy');
        area.remove();
        copy.focus();
      }
      copy.textContent = `Copied ${lines.length - 1} rows`;
      setTimeout(() => { copy.textContent = 'Copy as CSV'; }, 2000);
    });
    tools.append(sorted, copy, status);
    (table.closest('.scroll') || table).before(tools);
  };

  // ---- Figures.

  const enter = svg => {
    const points = [], labels = [], name = nameOf(svg, 'f');
    const groups = [...svg.querySelectorAll('g.curve, g.entry')];
    for (const g of groups) g.label = g.querySelector('title').textContent;
    for (const g of groups.filter(g => g.matches('.curve'))) {
      if (!labels.includes(g.label)) labels.push(g.label);
      for (const circle of g.querySelectorAll('circle')) {
        circle.label = g.label;
        circle.says = g.label + ', ' + circle.textContent;
        circle.firstChild.textContent = circle.says;
        circle.addEventListener('pointerenter', () => show(circle));
        points.push(circle);
      }
    }
    if (!points.length) return;
    const status = make('output', { ariaLive: 'off' }); // a reader hears it from the slider
    // What is hovered over, or where the slider is, is circled and said below.
    const show = circle => {
      svg.querySelector('.here')?.classList.remove('here');
      circle.classList.add('here');
      status.textContent = circle.says;
      slider.setAttribute('aria-valuetext', circle.says);
      slider.value = reach().indexOf(circle);
    };
    const reach = () => points.filter(p => !curve.value || p.label === curve.value);
    const slider = labelled(make('input', { type: 'range', min: 0, value: 0 }),
      'Points of the figure');
    slider.addEventListener('input', () => show(reach()[slider.value]));
    slider.addEventListener('focus', () => show(reach()[slider.value]));
    const curve = select('Curve', [['', 'all curves'], ...labels.map(l => [l, l])]);
    control(curve, name + '.curve', () => {
      for (const g of groups) g.classList.toggle('dim', curve.value !== '' && g.label !== curve.value);
      slider.max = reach().length - 1;
      slider.value = 0;
    });
    slider.max = points.length - 1;
    for (const g of groups.filter(g => g.matches('.entry'))) {
      g.addEventListener('click', () => {
        curve.value = curve.value === g.label ? '' : g.label;
        curve.dispatchEvent(new Event('input'));
      });
    }
    const tools = labelled(make('div', { className: 'tools' }, curve, slider, status),
      'Tools for the figure');
    tools.setAttribute('role', 'group');
    svg.parentElement.after(tools);
  };

  for (const table of document.querySelectorAll('table')) if (table.tHead && table.tBodies[0]) explore(table);
  for (const svg of document.querySelectorAll('figure svg')) enter(svg);
  addEventListener('hashchange', follow);
  follow();
})();
