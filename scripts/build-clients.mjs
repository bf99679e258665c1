// npm run build:clients: what is published of clients/typescript and clients/typescript-otel, as JavaScript with types, in
// the folder "dist" of each, or below the folder that is named. `npm publish` (or `npm pack`) is then run there.
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { installDependencies, main, root, run, SetupError } from "./setup.mjs";

const CLIENTS = ["clients/typescript-otel", "clients/typescript"];

await main(async () => {
	const node = await installDependencies();
	const [named] = process.argv.slice(2);
	for (const client of CLIENTS) {
		const folder = join(root, client);
		await build(node, folder, named === undefined ? join(folder, "dist") : join(resolve(named), basename(client)));
	}
	return 0;
});

/** @param {string} node path of Node @param {string} folder of the client @param {string} dist what is published */
async function build(node, folder, dist) {
	rmSync(dist, { recursive: true, force: true });
	const tsc = join(root, "node_modules/typescript/bin/tsc");
	const code = await run(node, [tsc, "--project", join(folder, "tsconfig.build.json"), "--outDir", dist]);
	if (code !== 0) throw new SetupError(`${folder} could not be built, see above.`);
	const { private: _, exports: __, ...manifest } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	const published = {
		...manifest,
		...(existsSync(join(dist, "evaluate/main.js")) ? { bin: { "spanward-eval": "evaluate/main.js" } } : {}),
		engines: { node: ">=20" },
		exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
	};
	writeFileSync(join(dist, "package.json"), `${JSON.stringify(published, null, "\t")}\n`);
	cpSync(join(folder, "README.md"), join(dist, "README.md"));
}
