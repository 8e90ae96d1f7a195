// Makes elements. Whatever comes from the daemon becomes text, never markup.

/**
 * @param attributes by name; one that is null, undefined or false is left out
 * @param children elements, texts or lists of them; null, undefined and false are left out
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(attribute, value === true ? '' : value);
    }
  }
  append(made, children);
  return made;
}

/** An element of a drawing. */
export function drawing(name, attributes = {}, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) {
    made.setAttribute(attribute, value);
  }
  append(made, children);
  return made;
}

function append(parent, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) {
      parent.append(child instanceof Node ? child : String(child));
    }
  }
}

/** Changes an element's text only if it is another one: a selection in it stays. */
export function setText(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

const drawnFrom = new WeakMap();

/** Fills an element again, but only if what it is drawn from has changed. */
export function redraw(target, source, draw) {
  const text = JSON.stringify(source);
  if (drawnFrom.get(target) !== text) {
    drawnFrom.set(target, text);
    target.replaceChildren(...[draw()].flat(Infinity).filter((child) => child));
  }
}

/** Terms with their values; a value that is null is left out. */
export function definitions(pairs) {
  return element(
    'dl',
    { class: 'definitions' },
    pairs
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([term, value]) => element('div', {}, element('dt', {}, term), element('dd', {}, value))),
  );
}
