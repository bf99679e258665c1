import type { ReactNode } from "react";
import { analyticsTexts } from "../texts/analytics-en.ts";
import { Labelled } from "../ui/labelled.tsx";
import { Select } from "../ui/select.tsx";
import { ANNOTATOR_KINDS, type AnalyticsQuery, type AnnotatorKind } from "./chart.ts";

const TEXTS = analyticsTexts.form;
const ALL = "";

/** Which annotations a question is about. */
export function AnnotationFields({
	query,
	names,
	onChange,
}: {
	query: AnalyticsQuery;
	/** Names that annotations of the project have. */
	names: readonly string[];
	onChange: (change: {
		readonly annotation_name?: readonly string[] | undefined;
		readonly annotator_kind?: readonly AnnotatorKind[] | undefined;
	}) => void;
}): ReactNode {
	// Several of them come from the address only, and are one choice here.
	const joined = query.annotation_name?.join(", ") ?? ALL;
	const joinedKinds = query.annotator_kind?.join(", ") ?? ALL;
	return (
		<>
			<Labelled label={TEXTS.annotation}>
				<Select
					value={joined}
					onChange={(next) => onChange({ annotation_name: next === ALL ? undefined : [next] })}
					choices={[...new Set([ALL, ...names, joined])].map((value) => ({ value, label: value || TEXTS.anyName }))}
				/>
			</Labelled>
			<Labelled label={TEXTS.annotator}>
				<Select<string>
					value={joinedKinds}
					onChange={(next) => {
						const kind = ANNOTATOR_KINDS.find((each) => each === next);
						onChange({ annotator_kind: kind === undefined ? undefined : [kind] });
					}}
					choices={[...new Set([ALL, ...ANNOTATOR_KINDS, joinedKinds])].map((value) => ({
						value,
						label: value || TEXTS.anyAnnotator,
					}))}
				/>
			</Labelled>
		</>
	);
}
