// npm run newest: installs the newest versions of everything that the pages below docs/sending install, notes them in
// e2e/sending/versions, and runs the tests of these pages with them. What has changed is then a change to commit; a
// release that breaks a page is a failed test, on the day somebody looks, and never in the tests of an unrelated change.
import { join } from "node:path";
import { installDependencies, main, root, run, SetupError } from "./setup.mjs";
import { installPythonClients, uvEnvironment } from "./test-requirements.mjs";

await main(async () => {
	const given = process.argv.slice(2);
	if (given.length > 0)
		throw new SetupError(
			`npm run newest takes no arguments, and was given: ${given.join(" ")}. It installs the newest releases and runs every page of docs/sending.`,
		);
	const node = await installDependencies();
	const python = await installPythonClients();
	const env = { ...uvEnvironment(python.E2E_UV), ...python };
	const installed = await run(node, [join(root, "e2e/sending/install.ts"), "--newest"], { env });
	const tested = await run(node, [join(root, "scripts/test.mjs"), "e2e/sending"], { env });
	return installed > 0 ? installed : tested;
});
