// Gives the modules of the viewer and of the page one import for views: Preact with templates of `htm`.
import { h, render, Fragment, createRef } from "./preact.js";
import { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useReducer } from "./hooks.js";
import { htm } from "./htm.js";

/** Builds virtual nodes from a template: html`<p class="x">${text}</p>`. Text in a template never becomes markup. */
const html = htm.bind(h);

export { html, render, Fragment, createRef };
export { useState, useEffect, useLayoutEffect, useRef, useMemo, useCallback, useReducer };
