import { type LocalSetting, localSetting } from "../lib/local-setting.ts";
import { useLocalSetting } from "../lib/use-local-setting.ts";
import type { FacetRows } from "./facet-fields.ts";

/** Whether the facets stand beside the lists: `open`. */
const shown = localSetting("facets");
/** Flattened keys of attributes, one a line. */
const pinned: Readonly<Record<FacetRows, LocalSetting>> = {
	spans: localSetting("facets.spans"),
	traces: localSetting("facets.traces"),
	sessions: localSetting("facets.sessions"),
	errors: localSetting("facets.errors"),
	users: localSetting("facets.users"),
};

export function useFacetsShown(): readonly [isShown: boolean, show: (isShown: boolean) => void] {
	const [value, set] = useLocalSetting(shown);
	return [value === "open", (isShown) => set(isShown ? "open" : undefined)];
}

/** More are not asked for at once, with those that are there anyway. */
const MOST_PINNED = 10;

export interface Pinned {
	readonly keys: readonly string[];
	readonly isFull: boolean;
	readonly pin: (key: string) => void;
	readonly unpin: (key: string) => void;
}

/** The attributes that this browser counts besides. */
export function usePinned(of: FacetRows): Pinned {
	const [value, set] = useLocalSetting(pinned[of]);
	const keys = value === undefined ? [] : value.split("\n").slice(0, MOST_PINNED);
	const keep = (next: readonly string[]) => set(next.length === 0 ? undefined : next.join("\n"));
	return {
		keys,
		isFull: keys.length >= MOST_PINNED,
		pin: (key) => keep([...keys.filter((each) => each !== key), key]),
		unpin: (key) => keep(keys.filter((each) => each !== key)),
	};
}
