import { config } from "./config.ts";

/** Waits before each further try: a moment without network, then a restart of the server. */
const RETRY_MS = [300, 1_000, 3_000];
/** Error messages of browsers and Vite when a part of the app cannot be fetched. */
const NOT_FETCHED = /preload CSS|dynamically imported module|importing a module script/i;

/** Whether a part of the app could not be fetched, unlike one that was and failed. */
export function isNotFetched(error: unknown): boolean {
	return error instanceof Error && NOT_FETCHED.test(error.message);
}

/** A part of the app by `import()`, tried again when it cannot be fetched. @throws the error of the last try */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
	for (const wait of RETRY_MS) {
		try {
			return await load();
		} catch (error) {
			if (!isNotFetched(error)) throw error;
		}
		await new Promise((resolve) => setTimeout(resolve, wait));
	}
	return await load();
}

/** Whether the server has another build of the app by now, without the files of this page. */
export async function isReplaced(): Promise<boolean> {
	const own = [...document.querySelectorAll('script[type="module"]')].map((script) => script.getAttribute("src"));
	try {
		const response = await fetch(`${config.basePath}/`, { cache: "no-store" });
		if (!response.ok) return false;
		const page = await response.text();
		return own.some((src) => !page.includes(`"${src}"`));
	} catch (error) {
		// No answer: nothing is known.
		if (error instanceof TypeError) return false;
		throw error;
	}
}
