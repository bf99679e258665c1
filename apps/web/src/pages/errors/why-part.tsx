import type { ErrorGrouping } from "@spanward/client";
import type { ReactNode } from "react";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { GroupPart } from "./group-part.tsx";

type Part = ErrorGrouping["parts"][number];

/** By what its failures were found to be the same. */
export function WhyPart({ grouping }: { grouping: ErrorGrouping }): ReactNode {
	const { rule, parts, normalized_message: message } = grouping;
	return (
		<GroupPart title={TEXTS.why} text={TEXTS.rule[rule]}>
			<Table
				label={TEXTS.parts}
				columns={COLUMNS}
				rows={parts.map((part, index) => ({ ...part, index }))}
				rowKey={({ index }) => String(index)}
			/>
			{message !== "" && (
				<p>
					<span className="text-muted text-sm">{TEXTS.normalized}</span>
					<code className="block whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">{message}</code>
				</p>
			)}
		</GroupPart>
	);
}

const COLUMNS: TableColumn<Part & { index: number }>[] = [
	{ key: "name", title: TEXTS.partColumn.name, className: "w-32 align-top", cell: ({ name }) => name },
	{
		key: "value",
		title: TEXTS.partColumn.value,
		className: "align-top",
		cell: ({ value }) => (
			<code className="block whitespace-pre-wrap font-mono text-sm [overflow-wrap:anywhere]">{value}</code>
		),
	},
];
