/** What a user-agent header names; undefined if unknown. */
export interface Agent {
	/** Firefox, Chrome, python-requests */
	readonly program: string | undefined;
	/** Windows, macOS, Linux, Android, iOS */
	readonly system: string | undefined;
}

// Browsers also name others that they are compatible with, so the more specific ones come first.
const PROGRAMS: readonly (readonly [pattern: RegExp, name: string])[] = [
	[/\bEdgA?(?:iOS)?\//, "Edge"],
	[/\bOPR\/|\bOpera\//, "Opera"],
	[/\bVivaldi\//, "Vivaldi"],
	[/\bSamsungBrowser\//, "Samsung Internet"],
	[/\bFirefox\/|\bFxiOS\//, "Firefox"],
	[/\bChrom(?:e|ium)\/|\bHeadlessChrome\/|\bCriOS\//, "Chrome"],
	[/\bVersion\/[\d.]+ (?:Mobile\/\S+ )?Safari\//, "Safari"],
];
const SYSTEMS: readonly (readonly [pattern: RegExp, name: string])[] = [
	[/\bWindows\b/, "Windows"],
	[/\b(?:iPhone|iPad|iPod)\b/, "iOS"],
	[/\bMac OS X\b|\bMacintosh\b/, "macOS"],
	[/\bAndroid\b/, "Android"],
	[/\bCrOS\b/, "ChromeOS"],
	[/\bLinux\b|\bX11\b/, "Linux"],
];

/** Reads browser and system from a user-agent header; for other programs the name before the first slash. */
export function readUserAgent(header: string | null | undefined): Agent {
	const text = header ?? "";
	const named = PROGRAMS.find(([pattern]) => pattern.test(text))?.[1];
	const other = /^Mozilla\//.test(text) ? undefined : /^[\w.-]{1,40}(?=\/|$)/.exec(text)?.[0];
	return { program: named ?? other, system: SYSTEMS.find(([pattern]) => pattern.test(text))?.[1] };
}
