import type { Config } from "./settings.ts";

/** A rule about several settings; skipped while one of those it uses is wrong by itself. */
export interface Check {
	readonly uses: readonly (keyof Config)[];
	/** What is wrong; each names its variables. */
	readonly problems: (config: Config) => readonly string[];
}

/** `text` as the only problem or warning if it applies, else none. */
export function when(applies: boolean, text: string): readonly string[] {
	return applies ? [text] : [];
}
