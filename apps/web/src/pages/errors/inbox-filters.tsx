import type { ReactNode } from "react";
import { config } from "../../lib/config.ts";
import { texts } from "../../texts/en.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { FilterChip } from "../../ui/chip.tsx";
import { Select } from "../../ui/select.tsx";
import { type ErrorsSearch, KINDS } from "./search.ts";

const LISTS = ["release", "environment", "user"] as const;

/** Kind and assignee, and what else the address filters by. */
export function InboxFilters({
	search,
	change,
}: {
	search: ErrorsSearch;
	change: (next: (before: ErrorsSearch) => ErrorsSearch) => void;
}): ReactNode {
	return (
		<>
			<Select
				label={TEXTS.kinds}
				value={search.error_kind ?? ""}
				onChange={(kind) =>
					change(({ error_kind: _kind, ...rest }) => (kind === "" ? rest : { ...rest, error_kind: kind }))
				}
				choices={[{ value: "", label: TEXTS.anyKind }, ...KINDS.map((value) => ({ value, label: TEXTS.kind[value] }))]}
			/>
			{config.auth.enabled && (
				<Select
					label={TEXTS.assigned}
					value={search.assignee ?? ""}
					onChange={(assignee) =>
						change(({ assignee: _assignee, ...rest }) => (assignee === "" ? rest : { ...rest, assignee }))
					}
					choices={[
						{ value: "", label: `${TEXTS.assigned}: ${TEXTS.anybody}` },
						{ value: "me", label: `${TEXTS.assigned}: ${TEXTS.mine}` },
						{ value: "none", label: `${TEXTS.assigned}: ${TEXTS.nobody}` },
						...otherAssignee(search.assignee),
					]}
				/>
			)}
			{search.filter && search.q && (
				<FilterChip field={texts.filter.words} value={search.q} onRemove={() => change(({ q: _q, ...rest }) => rest)} />
			)}
			{LISTS.flatMap((field) =>
				(search[field] ?? []).map((value) => (
					<FilterChip
						key={`${field} ${value}`}
						field={field}
						value={value}
						onRemove={() => change((before) => without(before, field, value))}
					/>
				)),
			)}
		</>
	);
}

function otherAssignee(assignee = "") {
	return ["", "me", "none"].includes(assignee) ? [] : [{ value: assignee, label: `${TEXTS.assigned}: ${assignee}` }];
}

function without(search: ErrorsSearch, field: (typeof LISTS)[number], value: string): ErrorsSearch {
	const { [field]: values, ...rest } = search;
	const left = values?.filter((each) => each !== value) ?? [];
	return left.length === 0 ? rest : { ...rest, [field]: left };
}
