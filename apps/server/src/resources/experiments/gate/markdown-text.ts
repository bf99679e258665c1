import { visibleLine } from "#resources/text-forms/untrusted.ts";

/** Breaks up what services turn into mentions, references and links, and cannot be seen. */
const GAP = "\u200b";

/**
 * A text of others in one line of Markdown that shows as it is, in at most so many characters before escaping: no HTML,
 * links or images, and nobody is mentioned or notified by it. That takes more than escaping: GitHub and GitLab look for
 * `@name`, `#1` and the like in what Markdown has become.
 */
export function markdownText(text: string, maxCharacters: number): string {
	return visibleLine(text, maxCharacters)
		.replace(/[@#!$%~^&:/]|www|\bgh(?=-)/gi, `$&${GAP}`)
		.replace(/[\\`*_{}[\]()#!|~$]/g, "\\$&")
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;");
}

/** An address of ours as the target of a link. */
export function markdownUrl(url: string): string {
	return url.replace(/[()<>\\@\s]/g, (found) => encodeURIComponent(found).replace("(", "%28").replace(")", "%29"));
}
