// A table that is updated row by row. Unchanged cells are not touched, so the scroll position, a selection and the
// focus are preserved. A header that is a button sorts the table, and the order is kept.

/** A place for a table that may be wider than the page; keys can scroll it. */
export function scrollable(label) {
  const place = document.createElement('div');
  place.className = 'scroll';
  place.tabIndex = 0;
  place.setAttribute('role', 'region');
  place.setAttribute('aria-label', label);
  return place;
}

export class Rows {
  /**
   * @param columns {name, text(row), value(row)?, number?, head?, bar(row)?, swatch(row)?, sort(row)?, title?,
   *     warn(row)?, applies(rows)?};
   * a column with action(row) and label(row) is a button, and one that does not apply is hidden
   */
  constructor(place, caption, columns, key = (row) => row.key) {
    this.columns = columns;
    this.key = key;
    this.order = null;
    this.shown = new Map();
    this.last = [];
    this.table = document.createElement('table');
    const title = this.table.createCaption();
    title.textContent = caption;
    title.className = 'unseen';
    const heads = this.table.createTHead().insertRow();
    columns.forEach((column, index) => heads.append(this.makeHead(column, index)));
    this.body = this.table.createTBody();
    place.append(this.table);
  }

  show(rows) {
    this.last = rows;
    const hidden = this.columns.map((column) => column.applies !== undefined && !column.applies(rows));
    [...this.table.tHead.rows[0].cells].forEach((head, at) => {
      head.hidden = hidden[at];
    });
    const ordered = this.order === null ? rows : [...rows].sort((a, b) => this.compare(a, b));
    const present = new Set(ordered.map(this.key));
    for (const [key, line] of this.shown) {
      if (!present.has(key)) {
        line.remove();
        this.shown.delete(key);
      }
    }
    ordered.forEach((row, index) => {
      const key = this.key(row);
      let line = this.shown.get(key);
      if (line === undefined) {
        line = this.makeRow(key);
        this.shown.set(key, line);
      }
      if (this.body.rows[index] !== line) {
        this.body.insertBefore(line, this.body.rows[index] ?? null);
      }
      this.columns.forEach((column, at) => {
        line.cells[at].hidden = hidden[at];
        fill(line.cells[at], column, row);
      });
    });
  }

  makeHead(column, index) {
    const head = document.createElement('th');
    head.scope = 'col';
    head.className = column.number ? 'number' : '';
    if (column.title) {
      head.title = column.title;
    }
    if (column.sort === undefined) {
      head.textContent = column.name;
      return head;
    }
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = column.name;
    button.addEventListener('click', () => this.sortBy(index));
    head.append(button);
    return head;
  }

  sortBy(index) {
    const falling = this.order?.index === index ? !this.order.falling : this.columns[index].number === true;
    this.order = {index, falling};
    [...this.table.tHead.rows[0].cells].forEach((head, at) => {
      if (at === index) {
        head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
      } else {
        head.removeAttribute('aria-sort');
      }
    });
    this.show(this.last);
  }

  /** Sorts missing values last, in both directions. */
  compare(a, b) {
    const {index, falling} = this.order;
    const [x, y] = [this.columns[index].sort(a), this.columns[index].sort(b)];
    if (x === y) {
      return 0;
    }
    if (x === null || x === undefined) {
      return 1;
    }
    if (y === null || y === undefined) {
      return -1;
    }
    return (x < y ? -1 : 1) * (falling ? -1 : 1);
  }

  makeRow(key) {
    const line = document.createElement('tr');
    line.dataset.key = key;
    for (const column of this.columns) {
      const cell = document.createElement(column.head ? 'th' : 'td');
      if (column.head) {
        cell.scope = 'row';
      }
      cell.dataset.name = column.name;
      cell.className = column.number ? 'number' : '';
      if (column.action) {
        const button = document.createElement('button');
        button.type = 'button';
        button.className = 'small';
        button.addEventListener('click', () => column.action(this.last.find((row) => this.key(row) === key)));
        cell.append(button);
      } else if (column.swatch) {
        const swatch = document.createElement('i');
        cell.append(swatch, document.createTextNode(''));
      } else if (column.value) {
        cell.append(document.createElement('data'));
        if (column.bar) {
          const bar = document.createElement('i');
          bar.className = 'bar';
          bar.setAttribute('aria-hidden', 'true');
          cell.classList.add('barred');
          cell.append(bar);
        }
      }
      line.append(cell);
    }
    return line;
  }
}

function fill(cell, column, row) {
  const text = column.text(row);
  if (column.action) {
    setText(cell.firstChild, text);
    cell.firstChild.setAttribute('aria-label', column.label(row));
  } else if (column.swatch) {
    cell.firstChild.className = `swatch line${column.swatch(row)}`;
    setText(cell.lastChild, text);
  } else if (column.value) {
    const data = cell.firstChild;
    const value = column.value(row) ?? '';
    if (data.value !== String(value)) {
      data.value = value;
    }
    setText(data, text);
    if (column.bar) {
      cell.lastChild.style.width = `${(100 * Math.min(1, Math.max(0, column.bar(row) || 0))).toFixed(1)}%`;
    }
  } else {
    setText(cell, text);
  }
  if (column.warn) {
    cell.classList.toggle('warn', column.warn(row));
  }
}

function setText(node, text) {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}
