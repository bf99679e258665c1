import type { Config } from "./settings.ts";

/** A rule about several settings; not asked while one of those it uses is wrong by itself. */
export interface Check {
	readonly uses: readonly (keyof Config)[];
	/** What is wrong; each names its variables. */
	readonly problems: (config: Config) => readonly string[];
}

/** A problem or a warning where it applies. */
export function when(applies: boolean, text: string): readonly string[] {
	return applies ? [text] : [];
}
