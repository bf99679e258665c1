// Installs what the pages below docs/sending install. `npm test` does it with the versions that versions/ has;
// with `--newest`, as `npm run newest` calls it, the newest ones are installed and noted there.
import { installNewest, installNoted } from "./environments.ts";
import { listRecipes } from "./pages.ts";

const install = process.argv.includes("--newest") ? installNewest : installNoted;
for (const recipe of listRecipes()) {
	try {
		await install(recipe);
	} catch (error) {
		console.error(`${recipe.name} could not be installed: ${error instanceof Error ? error.message : String(error)}`);
		process.exitCode = 1;
	}
}
