// Characters that hide or turn text.

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/u;
const ALL_HIDDEN = new RegExp(HIDDEN, "gu");
const JOINED_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Oriya}\p{Script=Myanmar}\p{Script=Khmer}\p{M}]$/u;

/** Returns `true` if a joiner at `index` does what it is for: it joins emoji, or letters of a script that uses it. */
function isJoiner(text, index) {
  const code = text.charCodeAt(index);
  return (code === 0x200c || code === 0x200d) && JOINED_BEFORE.test(text.slice(Math.max(0, index - 2), index));
}

/**
 * Returns the characters of a text that hide or turn text, each with its code, such as `U+202E`.
 * @param {string} text
 * @returns {{index: number, length: number, code: string}[]}
 */
export function hiddenCharacters(text) {
  if (!HIDDEN.test(text)) return [];
  const found = [];
  for (const match of text.matchAll(ALL_HIDDEN)) {
    const index = match.index ?? 0;
    if (match[0] === "\r" || isJoiner(text, index)) continue;
    const code = `U+${(match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
    found.push({ index, length: match[0].length, code });
  }
  return found;
}
