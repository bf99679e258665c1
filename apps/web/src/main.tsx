import { programPageAt, signInPageAt } from "./auth/sign-in-path.ts";
import { config } from "./lib/config.ts";
import { loadPart } from "./lib/load-part.ts";
import { followTheme } from "./lib/theme.ts";
import { takeResetToken } from "./sign-in/reset-token.ts";
import { startApp } from "./start-app.ts";
import { loadFailure } from "./texts/load-failure-en.ts";
import "./styles.css";

/** Loads the sign-in pages without the app, which is much larger, or the app. */
async function start(element: HTMLElement): Promise<void> {
	const programPage = config.auth.programs ? programPageAt(location.pathname, config.basePath) : undefined;
	if (programPage !== undefined) {
		const { renderProgramPage } = await loadPart(() => import("./sign-in/programs/programs-app.tsx"));
		return renderProgramPage(element, programPage);
	}
	const page = signInPageAt(location.pathname, config.basePath);
	if (page === undefined) return startApp(element);
	if (!config.auth.enabled) return location.replace(`${config.basePath}/`);
	takeResetToken();
	const { renderSignIn } = await loadPart(() => import("./sign-in/sign-in-app.tsx"));
	renderSignIn(element, page);
}

/** Shows an error with plain DOM, as the app could not be loaded. */
function sayLoadFailed(element: HTMLElement): void {
	const text = document.createElement("p");
	text.setAttribute("role", "alert");
	text.className = "p-6";
	text.textContent = loadFailure;
	element.replaceChildren(text);
}

followTheme();

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
start(root).catch((error: unknown) => {
	sayLoadFailed(root);
	throw error;
});
