// npm run build:clients: what is published of clients/typescript and clients/typescript-otel, as JavaScript with types, in
// the folder "dist" of each. `npm publish` (or `npm pack`) is then run there.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installDependencies, main, root, run, SetupError } from "./setup.mjs";

const CLIENTS = ["clients/typescript-otel", "clients/typescript"];

await main(async () => {
	const node = await installDependencies();
	for (const client of CLIENTS) await build(node, join(root, client));
	return 0;
});

/** @param {string} node path of Node @param {string} folder */
async function build(node, folder) {
	const dist = join(folder, "dist");
	rmSync(dist, { recursive: true, force: true });
	const tsc = join(root, "node_modules/typescript/bin/tsc");
	const code = await run(node, [tsc, "--project", join(folder, "tsconfig.build.json")]);
	if (code !== 0) throw new SetupError(`${folder} could not be built, see above.`);
	const { private: _, exports: __, ...manifest } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const published = {
		...manifest,
		engines: { node: ">=20" },
		exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
	};
	writeFileSync(join(dist, "package.json"), `${JSON.stringify(published, null, "\t")}\n`);
	cpSync(join(folder, "README.md"), join(dist, "README.md"));
}
