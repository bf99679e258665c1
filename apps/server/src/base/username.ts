export const MAX_USERNAME_LENGTH = 128;

/** Control, format (bidi, zero width), private and unassigned characters, unpaired surrogates, and invisible ones. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const ALL_UNSEEN = new RegExp(UNSEEN, "gu");

/**
 * Letters of other scripts, each before the lower-case Latin one that it looks like: from Unicode's confusables (UTS
 * 39), enough that nobody can pass for somebody else.
 */
const CYRILLIC = "аa вb еe ёe һh іi јj кk ӏi мm нh оo рp ԛq гr ѕs сc тt уy үy ѵv ԝw хx ԁd ԍg";
const GREEK = "αa βb γy εe ηn ιi κk μu νv οo ρp τt υu χx ωw ϲc ϳj";
const OTHERS = "ոn օo սu հh զq ցg ıi ɑa ɡg ɩi ʋv ʏy ᴏo ƅb";
const LOOK_ALIKES: ReadonlyMap<string, string> = new Map(
	`${CYRILLIC} ${GREEK} ${OTHERS}`.split(" ").map(([letter = "", latin = ""]) => [letter, latin]),
);

/** A name without white space around it, in NFC. */
export function trimUsername(text: string): string {
	return text.trim().normalize("NFC");
}

/** What is wrong with a trimmed name; undefined when nothing is. */
export function usernameProblem(username: string): string | undefined {
	if (username === "") return "the username is empty";
	if ([...username].length > MAX_USERNAME_LENGTH) return `the username has more than ${MAX_USERNAME_LENGTH} characters`;
	if (UNSEEN.test(username)) return "the username has control, invisible or direction characters";
	return undefined;
}

/**
 * A name made from what a directory or identity provider sends: unseen characters are removed, and a long name is cut.
 */
export function cleanUsername(text: string): string {
	const seen = text
		.replace(/\p{Cc}/gu, " ")
		.replace(ALL_UNSEEN, "")
		.replace(/\s+/g, " ")
		.trim()
		.normalize("NFC");
	return [...seen].slice(0, MAX_USERNAME_LENGTH).join("").trim();
}

/**
 * Equal for names that people cannot tell apart: compatibility forms (NFKC), case, spacing and look-alike letters are
 * folded.
 */
export function usernameKey(username: string): string {
	const folded = username.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC").replace(/\s+/g, " ").trim();
	return Array.from(folded, (character) => LOOK_ALIKES.get(character) ?? character).join("");
}
