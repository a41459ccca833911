// Icons: drawings of 24 by 24 in the colour of the text.
import { html } from "./viewer/ui.js";

/** Paths of the icons. @type {Record<string, string[]>} */
const PATHS = {
  plus: ["M12 5v14", "M5 12h14"],
  minus: ["M5 12h14"],
  search: ["M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14z", "M16 16l4.5 4.5"],
  menu: ["M4 6h16", "M4 12h16", "M4 18h16"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  more: ["M5 12h.01", "M12 12h.01", "M19 12h.01"],
  edit: ["M4 20h4L19 9l-4-4L4 16v4z", "M13.5 6.5l4 4"],
  trash: ["M4 7h16", "M9 7V4h6v3", "M6.5 7l1 13h9l1-13", "M10 11v5", "M14 11v5"],
  check: ["M5 12.5l4.5 4.5L19 7.5"],
  "check-circle": ["M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "M8 12.3l2.8 2.8L16 9.6"],
  "x-circle": ["M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "M9 9l6 6", "M15 9l-6 6"],
  alert: ["M12 4L2.8 20h18.4L12 4z", "M12 10v4.5", "M12 17.3v.01"],
  info: ["M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "M12 11v5.5", "M12 7.7v.01"],
  question: [
    "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
    "M9.5 9.4a2.6 2.6 0 1 1 3.9 2.3c-.9.5-1.4 1-1.4 2",
    "M12 16.8v.01",
  ],
  clock: ["M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z", "M12 7v5l3.5 2"],
  "chevron-right": ["M9 5l7 7-7 7"],
  "chevron-left": ["M15 5l-7 7 7 7"],
  "chevron-down": ["M5 9l7 7 7-7"],
  "chevron-up": ["M5 15l7-7 7 7"],
  "arrow-up": ["M12 19V5", "M6 11l6-6 6 6"],
  "arrow-down": ["M12 5v14", "M6 13l6 6 6-6"],
  "arrow-left": ["M19 12H5", "M11 6l-6 6 6 6"],
  send: ["M12 19V5", "M6 11l6-6 6 6"],
  stop: ["M7 7h10v10H7z"],
  play: ["M8 5l11 7-11 7V5z"],
  pause: ["M8 5v14", "M16 5v14"],
  refresh: ["M20 11a8 8 0 0 0-14.3-4.1L4 9", "M4 4v5h5", "M4 13a8 8 0 0 0 14.3 4.1L20 15", "M20 20v-5h-5"],
  undo: ["M4 9h10a6 6 0 0 1 0 12h-4", "M8 5L4 9l4 4"],
  file: ["M6 3h8l5 5v13H6V3z", "M14 3v5h5"],
  "file-text": ["M6 3h8l5 5v13H6V3z", "M14 3v5h5", "M9 13h7", "M9 17h7"],
  sheet: ["M4 4h16v16H4z", "M4 10h16", "M4 15h16", "M10 10v10"],
  slides: ["M3 4h18v12H3z", "M12 16v5", "M8 21h8"],
  image: ["M4 4h16v16H4z", "M4 16l5-5 4 4 3-3 4 4", "M15.5 8.5h.01"],
  folder: ["M3 6h6l2 2h10v11H3V6z"],
  paperclip: ["M19 11l-7.6 7.6a4.6 4.6 0 0 1-6.5-6.5L13 4a3.1 3.1 0 0 1 4.4 4.4l-8 8a1.6 1.6 0 0 1-2.3-2.2L14.5 7"],
  download: ["M12 4v11", "M7 10.5l5 5 5-5", "M5 20h14"],
  upload: ["M12 16V5", "M7 9.5l5-5 5 5", "M5 20h14"],
  tool: ["M14.5 6.5a4 4 0 0 1 5-1.2L17 8l1 2 2.4.2a4 4 0 0 1-5.6 3.2L8 20.2 4.8 17l6.8-6.8a4 4 0 0 1 2.9-3.7z"],
  settings: ["M4 7h9", "M17 7h3", "M15 5v4", "M4 17h3", "M11 17h9", "M9 15v4"],
  sun: [
    "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
    "M12 2v2.5M12 19.5V22M2 12h2.5M19.5 12H22M5 5l1.7 1.7M17.3 17.3L19 19M5 19l1.7-1.7M17.3 6.7L19 5",
  ],
  moon: ["M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z"],
  monitor: ["M3 4h18v12H3z", "M9 20h6", "M12 16v4"],
  language: [
    "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
    "M3 12h18",
    "M12 3c3 2.5 4 5.5 4 9s-1 6.5-4 9c-3-2.5-4-5.5-4-9s1-6.5 4-9z",
  ],
  code: ["M8 7l-5 5 5 5", "M16 7l5 5-5 5", "M13.5 5l-3 14"],
  terminal: ["M3 5h18v14H3z", "M7 9.5l3 2.5-3 2.5", "M12.5 15H17"],
  plan: ["M4 6.5l1.5 1.5L8.5 5", "M4 13l1.5 1.5L8.5 11.5", "M12 6.5h8", "M12 13h8", "M12 19.5h8", "M5.5 19.5h.01"],
  agent: ["M5 8h14v11H5z", "M12 8V4", "M9.5 13v1", "M14.5 13v1", "M2.5 12v3", "M21.5 12v3"],
  chat: ["M4 5h16v11H10l-5 4v-4H4V5z"],
  lock: ["M6 11h12v9H6z", "M8.5 11V8a3.5 3.5 0 0 1 7 0v3"],
  key: ["M8 10a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9z", "M11.5 11.5L20 3", "M16 7l3 3"],
  copy: ["M9 9h11v11H9z", "M5 15H4V4h11v1"],
  external: ["M13 4h7v7", "M20 4l-9 9", "M18 14v6H4V6h6"],
  link: ["M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7", "M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17"],
  compare: ["M12 3v18", "M4 6h5v12H4z", "M15 6h5v12h-5z"],
  chart: ["M4 4v16h16", "M8 16v-4", "M12.5 16V8", "M17 16v-6"],
  eye: ["M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12z", "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"],
  "eye-off": [
    "M4 4l16 16",
    "M9.5 6a9 9 0 0 1 2.5-.4c6 0 9.5 6.4 9.5 6.4a17 17 0 0 1-2.6 3.4",
    "M6 7.7A16 16 0 0 0 2.5 12S6 18.4 12 18.4a9 9 0 0 0 4-.9",
  ],
  offline: [
    "M4 4l16 16",
    "M5 12.5a10 10 0 0 1 4-2.4",
    "M2 9a15 15 0 0 1 4-2.6",
    "M10 5.2A15 15 0 0 1 22 9",
    "M15 10.5a10 10 0 0 1 4 2",
    "M8.5 16a5 5 0 0 1 7 0",
    "M12 19.5h.01",
  ],
  server: ["M4 4h16v6H4z", "M4 14h16v6H4z", "M8 7h.01", "M8 17h.01"],
  shield: ["M12 3l8 3v6c0 4.5-3.2 7.5-8 9-4.8-1.5-8-4.5-8-9V6l8-3z"],
  spark: ["M12 3l1.9 6.1L20 11l-6.1 1.9L12 19l-1.9-6.1L4 11l6.1-1.9L12 3z"],
  panel: ["M3 4h18v16H3z", "M15 4v16"],
  sidebar: ["M3 4h18v16H3z", "M9 4v16"],
  logout: ["M10 4H4v16h6", "M9 12h11", "M16 8l4 4-4 4"],
  dollar: [
    "M12 3v18",
    "M16.5 7.5c-.6-1.5-2.3-2.3-4.5-2.3-2.5 0-4.3 1.2-4.3 3.2 0 4.7 9 2.3 9 7 0 2-1.9 3.4-4.7 3.4-2.4 0-4.2-1-4.8-2.7",
  ],
  "zoom-in": ["M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14z", "M16 16l4.5 4.5", "M8 11h6", "M11 8v6"],
  "zoom-out": ["M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14z", "M16 16l4.5 4.5", "M8 11h6"],
};

/**
 * Draws an icon. It is hidden from screen readers unless it has a label.
 * @param {{name: string, size?: number, label?: string, class?: string}} props
 */
export function Icon({ name, size = 18, label, class: extra }) {
  const paths = PATHS[name] || PATHS.file;
  const heavy = name === "more";
  return html`<svg
    class=${extra ? `icon ${extra}` : "icon"}
    width=${size}
    height=${size}
    viewBox="0 0 24 24"
    fill=${name === "stop" ? "currentColor" : "none"}
    stroke="currentColor"
    stroke-width=${heavy ? 2.6 : 1.7}
    stroke-linecap="round"
    stroke-linejoin="round"
    role=${label ? "img" : undefined}
    aria-label=${label}
    aria-hidden=${label ? undefined : "true"}
    focusable="false"
  >
    ${paths.map((d) => html`<path d=${d} />`)}
  </svg>`;
}

/**
 * Returns the icon for a file name or media type.
 * @param {string} name
 * @param {string} [mediaType]
 * @returns {string} a name for {@link Icon}
 */
export function fileIcon(name, mediaType = "") {
  const ending = (/\.([a-z0-9]+)$/i.exec(name) || [])[1]?.toLowerCase() || "";
  if (["xlsx", "xlsm", "xls", "ods", "csv", "tsv", "parquet"].includes(ending)) return "sheet";
  if (["pptx", "ppt", "odp"].includes(ending)) return "slides";
  if (["png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "tiff"].includes(ending)) return "image";
  if (mediaType.startsWith("image/")) return "image";
  if (["json", "py", "js", "html", "xml", "yaml", "yml", "toml"].includes(ending)) return "code";
  return "file-text";
}
