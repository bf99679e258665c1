import Download from "lucide-react/icons/download";
import type { ReactNode, RefObject } from "react";
import { TimeRangePicker } from "../../../shell/time-range-picker.tsx";
import { auditTexts } from "../../../texts/audit-en.ts";
import { buttonClass } from "../../../ui/button-class.ts";
import { Select } from "../../../ui/select.tsx";
import { TypedSearch } from "../../../ui/typed-search.tsx";
import { auditDownload } from "./audit-queries.ts";
import { type AuditSearch, OUTCOMES } from "./audit-search.ts";
import { ACTIONS, actionName } from "./audit-words.ts";

const TEXTS = auditTexts.filter;
const { outcome: OUTCOME_TEXTS, download, downloadHint } = auditTexts;

/** The filters of the list, which also apply to the download. */
export function AuditFilters({
	search,
	onChange,
	personRef,
}: {
	search: AuditSearch;
	onChange: (search: AuditSearch) => void;
	/** Ref of the search field. */
	personRef: RefObject<HTMLInputElement | null>;
}): ReactNode {
	const { action, outcome, actor, entry: _entry, ...range } = search;
	// With other filters, the open entry may not be in the list.
	const filters = { action, outcome, actor };
	const change = (changed: Partial<Record<keyof typeof filters, string>>) => {
		const next = { ...filters, ...changed };
		const set = Object.entries(next).filter(([, value]) => value !== undefined && value !== "");
		onChange({ ...range, ...Object.fromEntries(set) });
	};
	return (
		<div className="flex flex-wrap items-center gap-2 border-line border-b px-4 pb-2">
			<Select
				className="max-w-44"
				label={TEXTS.action}
				value={action ?? ""}
				onChange={(value) => change({ action: value })}
				choices={[
					{ value: "", label: TEXTS.allActions },
					...ACTIONS.map((value) => ({ value, label: actionName({ action: value }) })),
				]}
			/>
			<Select
				label={TEXTS.outcome}
				value={outcome ?? ""}
				onChange={(value) => change({ outcome: value })}
				choices={[
					{ value: "", label: TEXTS.allOutcomes },
					...OUTCOMES.map((value) => ({ value, label: OUTCOME_TEXTS[value] })),
				]}
			/>
			<TypedSearch
				label={`${TEXTS.actor}: ${TEXTS.actorHint}`}
				words={actor ?? ""}
				onWords={(words) => change({ actor: words })}
				inputRef={personRef}
			/>
			<TimeRangePicker />
			<a href={auditDownload(search)} download="audit.ndjson" title={downloadHint} className={buttonClass("plain")}>
				<Download size={14} aria-hidden />
				{download}
			</a>
		</div>
	);
}
