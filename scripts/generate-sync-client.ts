/** What the words of asynchronous Python are in the other world; longer ones first. */
const WORDS: readonly (readonly [RegExp, string])[] = [
	[/\basync with\b/g, "with"],
	[/\basync for\b/g, "for"],
	[/\basync def\b/g, "def"],
	[/\bawait /g, ""],
	[/\basynccontextmanager\b/g, "contextmanager"],
	[/\bAsyncIterator\b/g, "Iterator"],
	[/\bAwaitable, /g, ""],
	[/\bAwaitable\[([\w.]+)\]/g, "$1"],
	[/\bhttpx\.AsyncClient\b/g, "httpx.Client"],
	[/\bAsync([A-Z]\w*)/g, "$1"],
	[/\b__aiter__\b/g, "__iter__"],
	[/\b__aenter__\b/g, "__enter__"],
	[/\b__aexit__\b/g, "__exit__"],
	[/\baclose\b/g, "close"],
	[/\baread\b/g, "read"],
	[/\baiter_bytes\b/g, "iter_bytes"],
];

/** The module for programs that wait, from the one for programs that do not: the same but for a few words. */
export function toSync(source: string): string {
	const text = WORDS.reduce((result, [pattern, word]) => result.replace(pattern, word), source);
	return `# Generated from _async by \`npm run generate\`.\n${text}`;
}
