import { texts } from "../texts/en.ts";
import { config } from "./config.ts";

interface MissingTexts {
	readonly title: string;
	readonly text: string;
}

/** What is said of something that is not there; with accounts, it may be hidden from this person, which looks the same. */
export function notHere({ title, text }: MissingTexts): MissingTexts {
	if (!config.auth.enabled) return { title, text };
	return { title: texts.error.notHere, text: `${text} ${texts.error.orNoAccess}` };
}
