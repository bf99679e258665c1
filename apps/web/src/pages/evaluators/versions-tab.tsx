import type { EvaluatorVersionDiff, EvaluatorVersionOfEvaluator } from "@spanward/client";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { diffQuery, type Evaluator, versionPages } from "../../evaluating/queries.ts";
import { evaluatorTexts as TEXTS } from "../../texts/evaluators-en.ts";
import { Chip } from "../../ui/chip.tsx";
import { useAllPages } from "../../ui/list-pages.tsx";
import { Loaded } from "../../ui/listed.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { Select } from "../../ui/select.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";

type Version = EvaluatorVersionOfEvaluator;

/** The versions of an evaluator, and what the shown one changed of another. */
export function VersionsTab({ evaluator, shown }: { evaluator: Evaluator; shown: Version }): ReactNode {
	const query = useInfiniteQuery(versionPages(evaluator.id));
	useAllPages(query, true);
	const [chosen, setChosen] = useState<string>();
	return (
		<Loaded data={query.data?.pages.flatMap((page) => page.data)} query={query}>
			{(versions) => {
				const others = versions.filter(({ id }) => id !== shown.id);
				const usual = others.find(({ number }) => number < shown.number) ?? others.at(-1);
				const against = others.find(({ id }) => id === chosen) ?? usual;
				return (
					<div className="flex flex-col gap-4">
						<Table label={TEXTS.tabs.versions} columns={columns(evaluator)} rows={versions} rowKey={({ id }) => id} />
						{against === undefined ? (
							<p className="text-muted">{TEXTS.onlyOne}</p>
						) : (
							<section aria-label={TEXTS.changes} className="flex min-w-0 flex-col gap-2">
								<h2 className="flex flex-wrap items-center gap-2">
									<span className="font-semibold">{TEXTS.version(shown.number)}</span>
									<span className="text-muted">{TEXTS.against}</span>
								</h2>
								<Select
									label={TEXTS.against}
									value={against.id}
									onChange={setChosen}
									className="self-start"
									choices={others.map(({ id, number }) => ({ value: id, label: TEXTS.version(number) }))}
								/>
								<Changes version={shown.id} against={against.id} />
							</section>
						)}
					</div>
				);
			}}
		</Loaded>
	);
}

function columns(evaluator: Evaluator): TableColumn<Version>[] {
	return [
		{
			key: "number",
			title: TEXTS.tabs.version,
			cell: ({ id, number }) => (
				<span className="flex flex-wrap items-center gap-2">
					<Link
						to="/evaluators/$evaluator"
						params={{ evaluator: evaluator.name }}
						search={{ version: id, tab: "versions" }}
						className="font-medium hover:text-accent hover:underline"
					>
						{TEXTS.version(number)}
					</Link>
					{id === evaluator.latest_version.id && <Chip tone="accent">{TEXTS.newest}</Chip>}
				</span>
			),
		},
		{
			key: "made",
			title: TEXTS.column.changed,
			align: "right",
			className: "w-32",
			cell: ({ created_at }) => <RelativeTime time={created_at} />,
		},
	];
}

type Change = EvaluatorVersionDiff["changes"][number];

function Changes({ version, against }: { version: string; against: string }): ReactNode {
	const query = useQuery(diffQuery(version, against));
	return (
		<Loaded data={query.data} query={query}>
			{({ is_equal, changes }) =>
				is_equal ? (
					<p className="text-muted">{TEXTS.same}</p>
				) : (
					<Table label={TEXTS.changes} columns={CHANGE_COLUMNS} rows={changes} rowKey={({ path }) => path.join(".")} />
				)
			}
		</Loaded>
	);
}

const CHANGE_COLUMNS: TableColumn<Change>[] = [
	{
		key: "path",
		title: TEXTS.path,
		className: "w-1/4 align-top",
		cell: ({ path }) => <span className="font-mono text-sm [overflow-wrap:anywhere]">{path.join(".")}</span>,
	},
	{
		key: "before",
		title: TEXTS.before,
		className: "align-top",
		cell: ({ kind, before }) => (kind === "added" ? TEXTS.absent : <del className={VALUE}>{shownValue(before)}</del>),
	},
	{
		key: "after",
		title: TEXTS.after,
		className: "align-top",
		cell: ({ kind, after }) => (kind === "removed" ? TEXTS.absent : <ins className={VALUE}>{shownValue(after)}</ins>),
	},
];

const VALUE = "block whitespace-pre-wrap font-mono text-sm no-underline [overflow-wrap:anywhere]";

function shownValue(value: unknown): string {
	return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
