import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { useMe } from "../../../lib/me.ts";
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
import { type KeyActions, keyColumns, type ListedKey } from "./key-columns.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { NEWEST_FIRST, userKeyPages } from "./key-queries.ts";
import { KeySortingFields } from "./key-sorting.tsx";

const TEXTS = settingsTexts.keys;

/** The keys of all users. */
export function UserKeysPage(): ReactNode {
	const [sorting, setSorting] = useState(NEWEST_FIRST);
	const query = useInfiniteQuery(userKeyPages(sorting));
	const [words, setWords] = useState("");
	const [deleting, setDeleting] = useState<ListedKey>();
	const [opened, setOpened] = useState<ListedKey>();
	const me = useMe();
	const actions = { onDelete: setDeleting, onOpen: setOpened };
	const field = useRef<HTMLInputElement>(null);
	const keys = query.data?.pages.flatMap((page) => page.data);
	useAllPages(query, words !== "");
	useTableKeys(query, { searchField: field });
	return (
		<SectionPage title={texts.settings.userKeys} intro={TEXTS.all}>
			<div className="flex flex-wrap gap-x-4 gap-y-2">
				<TypedSearch label={TEXTS.search} words={words} onWords={setWords} inputRef={field} />
				<KeySortingFields sorting={sorting} onChange={setSorting} />
			</div>
			<Loaded data={keys} query={query}>
				{(all) => <Keys keys={all.filter((key) => matches(key, words))} words={words} actions={actions} />}
			</Loaded>
			<MoreRows query={query} what={TEXTS.label} />
			{deleting && <DeleteKeyDialog kind="user" listed={deleting} onClose={() => setDeleting(undefined)} />}
			{opened && (
				<KeyDialog
					kind="user"
					listed={opened}
					mayChange={opened.user?.id === me?.id}
					onClose={() => setOpened(undefined)}
				/>
			)}
		</SectionPage>
	);
}

function matches(key: ListedKey, words: string): boolean {
	const texts = [key.name, key.user?.username, key.user?.email, key.hint];
	return texts.some((text) => text?.toLowerCase().includes(words.toLowerCase()));
}

function Keys({ keys, words, actions }: { keys: readonly ListedKey[]; words: string; actions: KeyActions }): ReactNode {
	if (keys.length === 0) return <EmptyState title={words === "" ? TEXTS.noneOfUsers : TEXTS.noMatch(words)} />;
	return (
		<Table
			label={texts.settings.userKeys}
			columns={keyColumns("owner", actions)}
			rows={keys}
			rowKey={(key) => key.id}
		/>
	);
}
