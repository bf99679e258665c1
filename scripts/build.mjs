// npm run build: sets up what npm start would, and starts nothing. For images, and for installations whose server may not write.
import { buildWebApp, installDependencies, main, say } from "./setup.mjs";

await main(async () => {
	await buildWebApp(await installDependencies("product"));
	say("Built: npm start runs it.");
	return 0;
});
