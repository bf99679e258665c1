import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { versionPages } from "../../lib/datasets.ts";
import { formatExactTime } from "../../lib/time.ts";
import { dataTexts } from "../../texts/data-en.ts";

const TEXTS = dataTexts.examples;

/** A notice that an older version is shown. */
export function VersionNotice({
	dataset,
	version,
	onNewest,
}: {
	dataset: string;
	version: string;
	onNewest: () => void;
}): ReactNode {
	const { data } = useInfiniteQuery(versionPages(dataset));
	const shown = data?.pages.flatMap((page) => page.data).find(({ version_id }) => version_id === version);
	return (
		<p role="status" className="flex shrink-0 flex-wrap items-center gap-2 bg-warn-soft px-3 py-1 text-warn">
			{shown ? TEXTS.older(formatExactTime(shown.created_at)) : TEXTS.olderUnknown}
			<button type="button" className="text-accent hover:underline" onClick={onNewest}>
				{TEXTS.toNewest}
			</button>
		</p>
	);
}
