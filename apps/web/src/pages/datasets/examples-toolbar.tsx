import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactNode, RefObject } from "react";
import { CopyMenu } from "../../copying/copy-menu.tsx";
import { splitsQuery, versionPages } from "../../lib/datasets.ts";
import { formatRelative, useNow } from "../../lib/time.ts";
import { dataTexts } from "../../texts/data-en.ts";
import { Select } from "../../ui/select.tsx";
import { TypedSearch } from "../../ui/typed-search.tsx";
import type { ExamplesSearch } from "./search.ts";

const TEXTS = dataTexts.examples;

export interface ExamplesToolbarProps {
	readonly dataset: string;
	readonly search: ExamplesSearch;
	readonly onChange: (change: Partial<Record<keyof ExamplesSearch, string | undefined>>) => void;
	readonly fieldRef: RefObject<HTMLInputElement | null>;
	readonly columnMenu: ReactNode;
}

export function ExamplesToolbar(props: ExamplesToolbarProps): ReactNode {
	const { dataset, search, onChange, fieldRef, columnMenu } = props;
	return (
		<div className="flex shrink-0 flex-wrap items-center gap-2 border-line border-b px-3 py-1.5">
			<TypedSearch
				label={TEXTS.search}
				words={search.q ?? ""}
				onWords={(q) => onChange({ q: q || undefined })}
				inputRef={fieldRef}
			/>
			<SplitSelect dataset={dataset} split={search.split} onChange={(split) => onChange({ split })} />
			<VersionSelect dataset={dataset} version={search.version} onChange={(version) => onChange({ version })} />
			<span className="ml-auto flex items-center">
				<CopyMenu copied={{ kind: "examples", dataset, version: search.version, split: search.split, q: search.q }} />
				<span className="max-sm:hidden">{columnMenu}</span>
			</span>
		</div>
	);
}

const ALL = "";

function SplitSelect({
	dataset,
	split,
	onChange,
}: {
	dataset: string;
	split: string | undefined;
	onChange: (split: string | undefined) => void;
}): ReactNode {
	const { data = [] } = useQuery(splitsQuery(dataset));
	const names = data.map(({ name }) => name);
	// A deleted split may still be in the shown version.
	const listed = split === undefined || names.includes(split) ? names : [...names, split];
	if (listed.length === 0) return null;
	return (
		<Select
			label={TEXTS.split}
			value={split ?? ALL}
			onChange={(value) => onChange(value === ALL ? undefined : value)}
			choices={[{ value: ALL, label: TEXTS.allSplits }, ...listed.map((name) => ({ value: name, label: name }))]}
			className="max-w-48"
		/>
	);
}

function VersionSelect({
	dataset,
	version,
	onChange,
}: {
	dataset: string;
	version: string | undefined;
	onChange: (version: string | undefined) => void;
}): ReactNode {
	const { data } = useInfiniteQuery(versionPages(dataset));
	const now = useNow();
	const [, ...older] = data?.pages.flatMap((page) => page.data) ?? [];
	if (older.length === 0 && version === undefined) return null;
	const isListed = version === undefined || older.some(({ version_id }) => version_id === version);
	return (
		<Select
			label={TEXTS.version}
			value={version ?? ALL}
			onChange={(value) => onChange(value === ALL ? undefined : value)}
			choices={[
				{ value: ALL, label: TEXTS.newest },
				...older.map(({ version_id, created_at, example_count }) => ({
					value: version_id,
					label: TEXTS.versionChoice(formatRelative(created_at, now), example_count),
				})),
				...(isListed ? [] : [{ value: version, label: TEXTS.otherVersion }]),
			]}
			className="max-w-56"
		/>
	);
}
