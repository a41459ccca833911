// Finds the native library: beside this file in a checkout, otherwise in the package for this machine, which npm has chosen
// among the optional dependencies. It is loaded when it is first used, because hosts with the mode `process` do not use it here.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** The version of Mitt. The packages have the same one. */
export const { version } = require('./package.json');

function platform() {
  const { platform, arch } = process;
  if (platform !== 'linux') return `${platform}-${arch}`;
  const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined;
  return `linux-${arch}-${isGlibc ? 'gnu' : 'musl'}`;
}

function find() {
  const name = platform();
  const own = fileURLToPath(new URL(`npm/${name}/mitt.node`, import.meta.url));
  if (existsSync(own)) return own;
  try {
    return require.resolve(`mitt-node-${name}`);
  } catch (cause) {
    throw new Error(
      `mitt-node: there is no library for this machine: cannot load the package mitt-node-${name}; ` +
        'install without `--omit=optional`, or build the library with bindings/node/make',
      { cause },
    );
  }
}

/** The path of the library. A program learns at once that there is none. */
export const libraryPath = find();

let loaded;

/** Returns the library. */
export function native() {
  loaded ??= require(libraryPath);
  return loaded;
}
