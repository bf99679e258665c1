#!/usr/bin/env node
// The command `spanward`: runs apps/command-line/src/main.ts on the Node that comes with the installation. Nothing newer than Node 18 here.
import { existsSync } from "node:fs";
import { findNode, main, root, run, SetupError } from "../../../scripts/setup.mjs";

// Takes the arguments out of the list of processes: an address may have a password.
process.title = "spanward";

await main(async () => {
	const node = findNode();
	if (!existsSync(node.path))
		throw new SetupError("Nothing is installed yet: run npm start once, in the folder of Spanward.");
	const flags = ["--disable-warning=ExperimentalWarning"];
	return run(node.path, [...flags, `${root}/apps/command-line/src/main.ts`, ...process.argv.slice(2)], {
		cwd: process.cwd(),
	});
});
