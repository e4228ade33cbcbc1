// Texts that fit into a width.

const measure = document.createElement("canvas").getContext("2d");
const fitted = new Map();

/** As much of a text as fits into a width, with … where it was cut: at its end, or so that its end stays. */
function fit(text, width, font, keepsEnd) {
  const key = `${width} ${font} ${text}`;
  if (!fitted.has(key)) {
    measure.font = font;
    let kept = text;
    if (measure.measureText(text).width > width) {
      // By code points, or half of an emoji might stay; and of no more signs than could ever fit.
      const signs = text.length > 2 * width ? [...text.slice(0, width), ...text.slice(-width)] : [...text];
      const cut = (n) => {
        const nAtEnd = keepsEnd ? n >> 1 : 0;
        return `${signs.slice(0, n - nAtEnd).join("")}…${signs.slice(signs.length - nAtEnd).join("")}`;
      };
      let low = 0;
      let high = signs.length;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (measure.measureText(cut(middle)).width <= width) low = middle;
        else high = middle - 1;
      }
      kept = cut(low);
    }
    fitted.set(key, kept);
  }
  return fitted.get(key);
}

const FAMILY = getComputedStyle(document.body).fontFamily;
const FONTS = { headline: `600 13px ${FAMILY}`, caption: `11.5px ${FAMILY}`, amount: `11px ${FAMILY}` };
