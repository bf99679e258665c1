import ChartBar from "lucide-react/icons/chart-bar-decreasing";
import { type ReactNode, useState } from "react";
import { useIsNarrow } from "../lib/media.ts";
import { useShortcuts } from "../lib/shortcuts.tsx";
import { texts } from "../texts/en.ts";
import { IconButton } from "../ui/button.tsx";
import { facetsTexts as TEXTS } from "./facets-en.ts";
import { useFacetsShown } from "./shown-facets.ts";

export interface FacetsShown {
	readonly isShown: boolean;
	readonly show: (isShown: boolean) => void;
}

/**
 * Whether the facets are shown, and their key: remembered in this browser where they stand beside the list; a sheet over
 * it is closed again at each visit.
 * @param isOffered false where something else stands beside the list
 */
export function useFacets(isOffered: boolean): FacetsShown {
	const isNarrow = useIsNarrow();
	const [isKept, keep] = useFacetsShown();
	const [isSheet, setSheet] = useState(false);
	const show = isNarrow ? setSheet : keep;
	const isShown = isOffered && (isNarrow ? isSheet : isKept);
	useShortcuts({
		title: texts.shortcuts.list,
		shortcuts: isOffered ? [{ keys: ["f"], label: TEXTS.shortcut, run: () => show(!isShown) }] : [],
	});
	return { isShown, show };
}

/** The button for the facets. */
export function FacetsToggle({ isShown, show }: FacetsShown): ReactNode {
	return (
		<IconButton label={TEXTS.toggle} shortcut="f" pressed={isShown} onClick={() => show(!isShown)}>
			<ChartBar size={14} aria-hidden />
		</IconButton>
	);
}
