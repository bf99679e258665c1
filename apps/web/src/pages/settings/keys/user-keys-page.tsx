import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { useAllPages } from "../../../ui/list-pages.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { Table } from "../../../ui/table.tsx";
import { TypedSearch } from "../../../ui/typed-search.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { DeleteKeyDialog } from "./delete-key-dialog.tsx";
import { keyColumns, type ListedKey } from "./key-columns.tsx";
import { userKeyPages } from "./key-queries.ts";

const TEXTS = settingsTexts.keys;

/** The keys of all users. */
export function UserKeysPage(): ReactNode {
	const query = useInfiniteQuery(userKeyPages);
	const [words, setWords] = useState("");
	const [deleting, setDeleting] = useState<ListedKey>();
	const field = useRef<HTMLInputElement>(null);
	const keys = query.data?.pages.flatMap((page) => page.data);
	useAllPages(query, words !== "");
	useTableKeys(query, { searchField: field });
	return (
		<SectionPage title={texts.settings.userKeys} intro={TEXTS.all}>
			<div className="flex">
				<TypedSearch label={TEXTS.search} words={words} onWords={setWords} inputRef={field} />
			</div>
			<Loaded data={keys} query={query}>
				{(all) => <Keys keys={all.filter((key) => matches(key, words))} words={words} onDelete={setDeleting} />}
			</Loaded>
			<MoreRows query={query} what={TEXTS.label} />
			{deleting && <DeleteKeyDialog kind="user" listed={deleting} onClose={() => setDeleting(undefined)} />}
		</SectionPage>
	);
}

function matches(key: ListedKey, words: string): boolean {
	const texts = [key.name, key.user?.username, key.user?.email, key.hint];
	return texts.some((text) => text?.toLowerCase().includes(words.toLowerCase()));
}

function Keys({
	keys,
	words,
	onDelete,
}: {
	keys: readonly ListedKey[];
	words: string;
	onDelete: (key: ListedKey) => void;
}): ReactNode {
	if (keys.length === 0) return <EmptyState title={words === "" ? TEXTS.noneOfUsers : TEXTS.noMatch(words)} />;
	return (
		<Table
			label={texts.settings.userKeys}
			columns={keyColumns("owner", onDelete)}
			rows={keys}
			rowKey={(key) => key.id}
		/>
	);
}
