import X from "lucide-react/icons/x";
import { type ReactNode, Suspense } from "react";
import type { RowFilters } from "../filtering/row-filters.ts";
import { useIsNarrow } from "../lib/media.ts";
import { texts } from "../texts/en.ts";
import { IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { SkeletonRows } from "../ui/skeleton.tsx";
import { facetsTexts as TEXTS } from "./facets-en.ts";
import type { FacetsPanelProps } from "./facets-panel.tsx";

const FacetsPanel = lazyPart(() => import("./facets-panel.tsx"), "FacetsPanel");

export interface FacetsAsideProps<Search extends RowFilters> extends FacetsPanelProps<Search> {
	readonly onClose: () => void;
}

/** The facets beside a list, or in a sheet over it where there is no room. */
export function FacetsAside<Search extends RowFilters>({ onClose, ...props }: FacetsAsideProps<Search>): ReactNode {
	const isNarrow = useIsNarrow();
	const panel = (
		<Suspense fallback={<SkeletonRows rows={8} />}>
			<FacetsPanel {...props} change={(change) => props.change((before) => change(before) as Search)} />
		</Suspense>
	);
	if (isNarrow)
		return (
			<Dialog
				open
				onOpenChange={onClose}
				title={TEXTS.title}
				className="top-auto! bottom-0 max-h-[80vh]! w-full! max-w-xl rounded-b-none"
			>
				<div className="overflow-auto pb-4">{panel}</div>
			</Dialog>
		);
	return (
		<aside
			aria-label={TEXTS.title}
			className="flex w-60 shrink-0 flex-col overflow-hidden border-line border-r bg-canvas"
		>
			<div className="flex h-8 shrink-0 items-center border-line border-b pr-1 pl-3.5">
				<h2 className="flex-1 text-muted text-sm" title={TEXTS.hint}>
					{TEXTS.title}
				</h2>
				<IconButton label={texts.action.close} shortcut="f" className="size-6" onClick={onClose}>
					<X size={13} aria-hidden />
				</IconButton>
			</div>
			<div className="min-h-0 flex-1 overflow-auto">{panel}</div>
		</aside>
	);
}
