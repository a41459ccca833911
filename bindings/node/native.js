// Finds the native library: beside this file in a checkout, otherwise in the package for this machine, which npm has chosen
// among the optional dependencies.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

function platform() {
  const { platform, arch } = process;
  if (platform !== 'linux') return `${platform}-${arch}`;
  const isGlibc = process.report.getReport().header.glibcVersionRuntime !== undefined;
  return `linux-${arch}-${isGlibc ? 'gnu' : 'musl'}`;
}

function load() {
  const name = platform();
  const own = fileURLToPath(new URL(`npm/${name}/mitt.node`, import.meta.url));
  if (existsSync(own)) return require(own);
  try {
    return require(`mitt-node-${name}`);
  } catch (cause) {
    throw new Error(
      `mitt-node: there is no library for this machine: cannot load the package mitt-node-${name}; ` +
        'install without `--omit=optional`, or build the library with bindings/node/make',
      { cause },
    );
  }
}

export const native = load();
