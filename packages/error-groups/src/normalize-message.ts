import { oneLine } from "./shown-text.ts";

/** Of a message, so much is read. Everything below takes time in proportion to it at the most. */
const MAX_READ = 4_096;
/** So much of a normalized message counts. */
const MAX_LENGTH = 1_000;

/**
 * The first line of a message with placeholders for what differs from one occurrence to the next: ids, numbers,
 * times, addresses. At most 1,000 characters.
 */
export function normalizeMessage(message: string): string {
	let text = oneLine(firstLine(message));
	for (const [pattern, replacement] of RULES) {
		text =
			typeof replacement === "string"
				? text.replace(pattern, replacement)
				: text.replace(pattern, (...match: string[]) => replacement(match));
	}
	return text.slice(0, MAX_LENGTH).toWellFormed();
}

/** The first line has something to say; that of JSON on several lines has not. */
const SAYS_SOMETHING = /[\p{L}\p{N}].{0,10}[\p{L}\p{N}]/u;

/**
 * The first line that is not blank, or all of it where that says nothing. Of a longer one than is read, the last word,
 * which may be cut, is left out.
 */
function firstLine(message: string): string {
	let start = 0;
	while (start < message.length && isBlank(message.charCodeAt(start))) start++;
	const head = message.slice(start, start + MAX_READ);
	const end = head.search(/[\r\n]/);
	if (end >= 0 && SAYS_SOMETHING.test(head.slice(0, end))) return head.slice(0, end);
	const lastSpace = start + MAX_READ < message.length ? head.lastIndexOf(" ") : -1;
	return lastSpace > MAX_READ / 2 ? head.slice(0, lastSpace) : head;
}

function isBlank(code: number): boolean {
	return code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0;
}

/** Words after "request", "session" and so on that are no ids. Others are recognized by their ending. */
const PLAIN_WORDS: ReadonlySet<string> = new Set(
	`a about after again all already an and any are arguments as at because before body but by can cannot cookie could
	count data did do does entity error exceeds fails failure for from had handler has have header headers http https in
	invalid is it its kind limit lock loop manager may message method model more must name no not object of on only or
	over pad params parameters path per pool quota quotas rate settings size so state stopped store than that the their
	there this thread through throughput time timeout to token tokens too type under until uri url usage was were when
	which while will with without would you your session request organization`.split(/\s+/),
);
const PLAIN_ENDING = /^[a-z]+(?:ed|ing|ion|ions|ment|ity)$/;

type Replacement = string | ((match: string[]) => string);

const TIME = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?`;
const ZONE = String.raw`(?:\s?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})(?![0-9A-Za-z]))?`;
const DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}";
const MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
const TIME_UNIT =
	"(?:ns|µs|μs|us|ms|s|m|h|d|(?:nano|micro|milli)?sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|months?|years?)";
const UNIT = "(?:%|°C?|[kKMGTP]i?[bB]?(?:/s)?|[bB](?:/s)?|bytes?|px|x|st|nd|rd|th)";
/** Neither a letter nor a digit stands before, or after. */
const START = String.raw`(?<![\p{L}\p{N}])`;
const END = String.raw`(?![\p{L}\p{N}])`;

function pattern(source: string, flags = "gu"): RegExp {
	return new RegExp(source, flags);
}

/**
 * Applied in this order. Each pattern begins where a word begins and repeats one class of characters at a time, so
 * that no text makes it try again and again.
 */
const RULES: readonly (readonly [RegExp, Replacement])[] = [
	[
		pattern(
			`${START}((?:organi[sz]ation|request|session|thread)(?:[ _-]ids?)?(?:\\s?[:=#]\\s?|\\s)["'\`(<[]?)([^\\s"'\`,;:!?()<>[\\]{}]+)`,
			"giu",
		),
		([all = "", before = "", word = ""]) => (isPlainWord(word) ? all : `${before}<id>${endOfSentence(word)}`),
	],
	[/(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s"'<>`|\\^{}]+/g, ([url = ""]) => normalizeUrl(url)],
	[/(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/gu, "<email>"],
	[/(?<![\w.~-])(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm)\/[^\s"'`<>:,;)\]}|]*/g, "<tmp>"],
	[/(?<![A-Za-z])[A-Za-z]:\\(?:[^\s\\"'<>|:]{1,64}\\){0,6}(?:Temp|tmp)\\[^\s"'`<>:,;)\]}|]*/gi, "<tmp>"],
	[/(?<![0-9A-Za-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9A-Za-z])/gi, "<uuid>"],
	[
		pattern(
			`${START}\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}(?:[T ,]{1,2}\\d{1,2}:\\d{2}(?::\\d{2}(?:[.,]\\d{1,9})?)?)?${ZONE}${END}`,
		),
		"<date>",
	],
	[pattern(`${START}\\d{8}T\\d{6}Z?${END}`), "<date>"],
	[pattern(`${START}\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{4}(?:[ ,]{1,2}${TIME})?${ZONE}${END}`), "<date>"],
	[pattern(`${START}(?:${DAY},? )?\\d{1,2}[ -]${MONTH}[ -]\\d{2,4}(?:,? ${TIME})?${ZONE}${END}`), "<date>"],
	[
		pattern(`${START}(?:${DAY},? )?${MONTH}\\.? \\d{1,2}(?:,? \\d{4})?(?:,? ${TIME})?(?: \\d{4})?${ZONE}${END}`),
		"<date>",
	],
	[pattern(`${START}(?:${TIME}|\\d{1,2}:\\d{2} ?[AaPp][Mm])${ZONE}${END}`), "<time>"],
	[/(?<![A-Za-z0-9_-])(?:(?:req|msg)_|org-|chatcmpl-|sk-)[A-Za-z0-9*_-]+/g, "<id>"],
	[/(?<![A-Za-z0-9_-])(?:call|run)_([A-Za-z0-9_-]+)/g, ([all = "", rest = ""]) => (isIdentifier(rest) ? "<id>" : all)],
	[/(?<![0-9A-Za-z])0x[0-9a-f]+(?![0-9A-Za-z])/gi, "<address>"],
	[/(?<![0-9A-Za-z.])\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?(?::\d{1,5})?(?![0-9A-Za-z]|\.\d)/g, "<ip>"],
	[
		/(?<![0-9A-Za-z:.])\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?:%[0-9a-z]{1,16})?\]?(?::\d{1,5})?(?![0-9A-Za-z:])/gi,
		([all = ""]) => (isIpv6(all) ? "<ip>" : all),
	],
	[pattern(`${START}[0-9a-f]{8,}${END}`, "giu"), ([all = ""]) => (DIGITS.test(all) ? all : "<hex>")],
	[/(?<![A-Za-z0-9])[A-Za-z0-9+/_-]{20,}={0,2}/g, ([all = ""]) => withoutRandom(all)],
	[pattern(`${START}PT(?:\\d{1,9}(?:\\.\\d{1,9})?[HMS]){1,3}${END}`), "<duration>"],
	[pattern(`${START}\\d+(?:[.,]\\d+){0,3} ?${TIME_UNIT}(?: ?\\d+(?:\\.\\d+)? ?${TIME_UNIT}){0,6}${END}`), "<duration>"],
	[pattern(`(?:(?<=^|[\\s([{=:,])[-+])?${START}\\d+(?:[.,_]\\d+)*(?:e[-+]?\\d{1,4})?(?: ?${UNIT})?${END}`), "<num>"],
];

const DIGITS = /^\d+$/;

function isPlainWord(word: string): boolean {
	const lower = word.replace(/[.]+$/, "").toLowerCase();
	return PLAIN_WORDS.has(lower) || (word === lower && PLAIN_ENDING.test(lower));
}

function endOfSentence(word: string): string {
	return word.endsWith(".") ? "." : "";
}

/** What follows `call_` or `run_`, of an id and not of a name such as `call_tool`. */
function isIdentifier(rest: string): boolean {
	return /[\dA-Z]/.test(rest) || (rest.length >= 16 && !rest.includes("_"));
}

/** Without user, query and fragment, ids of the path as placeholders. Hosts and ports are left to the rules below. */
function normalizeUrl(sent: string): string {
	const url = sent.replace(/[.,;:!?)\]]{1,8}$/, "");
	const after = sent.slice(url.length);
	const query = url.search(/[?#]/);
	const path = query < 0 ? url : url.slice(0, query);
	const hasQuery = query >= 0 && url.charAt(query) === "?" && url.length > query + 1;
	const [scheme = "", , authority = "", ...segments] = path.split("/");
	const host = authority.slice(authority.lastIndexOf("@") + 1);
	const normalized = [scheme, "", host, ...segments.map((segment) => (isIdInUrl(segment) ? "<id>" : segment))];
	return `${normalized.join("/")}${hasQuery ? "?<query>" : ""}${after}`;
}

const ID_IN_URL = /^(?:\d+|[0-9a-f]{8,}|[0-9a-f-]{36}|[a-z]{1,12}[_-][A-Za-z0-9]*\d[A-Za-z0-9]{5,}|[A-Za-z]+-\d+)$/i;

function isIdInUrl(segment: string): boolean {
	return ID_IN_URL.test(segment) || (segment.length >= 16 && isRandom(segment));
}

/** Two colons in a row, or all eight groups; a digit, so that names such as `Ada::Deed` are none. */
function isIpv6(text: string): boolean {
	return /\d/.test(text) && (text.includes("::") || text.split(":").length >= 8);
}

const RUN = /[A-Za-z0-9]{20,}/g;
const PATH = /^\/[a-z]{3,}\//;

/** Base64 as a whole, or the random parts of a path. */
function withoutRandom(token: string): string {
	if (!PATH.test(token) && isRandom(token)) return "<base64>";
	return token.replace(RUN, (run) => (isRandom(run) ? "<base64>" : run));
}

/** No word has so many letters. */
const MAX_WORD = 64;
/** Of base64, two thirds of the letters are followed by one of another case or a digit; of names, a fourth at the most. */
const MIN_CHANGES = 0.35;

function isRandom(token: string): boolean {
	let changes = 0;
	let pairs = 0;
	let run = 0;
	let former = "";
	for (let i = 0; i < token.length; i++) {
		const current = classOf(token.charCodeAt(i));
		if (current !== "" && former !== "") {
			pairs++;
			if (current !== former) changes++;
		}
		run = current === "" ? 0 : run + 1;
		if (run >= MAX_WORD) return true;
		former = current;
	}
	return pairs >= 10 && changes >= MIN_CHANGES * pairs;
}

function classOf(code: number): "" | "digit" | "lower" | "upper" {
	if (code >= 0x30 && code <= 0x39) return "digit";
	if (code >= 0x61 && code <= 0x7a) return "lower";
	return code >= 0x41 && code <= 0x5a ? "upper" : "";
}
