import type { Experiment } from "@spanward/client";
import type { ReactNode } from "react";
import { formatInteger } from "../../lib/format.ts";
import { dataTexts } from "../../texts/data-en.ts";

const TEXTS = dataTexts.experiments;

/** The number of runs, and the total while some are missing or failed. */
export function RunProgress({ experiment }: { experiment: Experiment }): ReactNode {
	const { successful_run_count: done, failed_run_count: failed, missing_run_count: missing } = experiment;
	const all = done + failed + missing;
	if (failed + missing === 0) return <span className="text-muted">{formatInteger(all)}</span>;
	const details = [
		TEXTS.done(done, all),
		...(failed > 0 ? [TEXTS.failed(failed)] : []),
		...(missing > 0 ? [TEXTS.missing(missing)] : []),
	].join(", ");
	return (
		<span title={details} className="flex items-center gap-2">
			<svg
				role="img"
				aria-label={details}
				viewBox="0 0 100 8"
				preserveAspectRatio="none"
				className="h-1.5 w-12 shrink-0"
			>
				<rect width="100" height="8" className="fill-line-strong" />
				<rect width={(done / all) * 100} height="8" className="fill-ok" />
				<rect x={(done / all) * 100} width={(failed / all) * 100} height="8" className="fill-danger" />
			</svg>
			<span aria-hidden className={failed > 0 ? "text-danger" : undefined}>
				{formatInteger(done)}/{formatInteger(all)}
			</span>
		</span>
	);
}
