import { useQuery } from "@tanstack/react-query";
import KeyRound from "lucide-react/icons/key-round";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useState } from "react";
import type { KeyKind } from "../../../lib/api-keys.ts";
import { useCan } from "../../../lib/me.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { Table } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { CreateKeyDialog } from "./create-key-dialog.tsx";
import { DeleteKeyDialog } from "./delete-key-dialog.tsx";
import { type KeyActions, keyColumns, type ListedKey } from "./key-columns.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { type KeySorting, NEWEST_FIRST, ownKeysQuery, systemKeysQuery } from "./key-queries.ts";
import { KeySortingFields } from "./key-sorting.tsx";

const TEXTS = settingsTexts.keys;

export function OwnKeysPage(): ReactNode {
	const [sorting, setSorting] = useState(NEWEST_FIRST);
	const query = useQuery(ownKeysQuery(sorting));
	useTableKeys(query);
	const can = useCan();
	return (
		<KeysPage title={texts.settings.keys} intro={TEXTS.own} kind="user" sorting={sorting} onSort={setSorting}>
			{(actions, onCreate) => (
				<Loaded data={query.data} query={query}>
					{(keys) =>
						keys.length === 0 && sorting.unused ? (
							<EmptyState title={TEXTS.noneUnused} />
						) : keys.length === 0 ? (
							<NoKeys
								title={TEXTS.none}
								text={can("write") ? TEXTS.noneText : TEXTS.noneTextReader}
								onCreate={onCreate}
							/>
						) : (
							<Table label={TEXTS.label} columns={keyColumns("own", actions)} rows={keys} rowKey={(key) => key.id} />
						)
					}
				</Loaded>
			)}
		</KeysPage>
	);
}

export function SystemKeysPage(): ReactNode {
	const [sorting, setSorting] = useState(NEWEST_FIRST);
	const query = useQuery(systemKeysQuery(sorting));
	useTableKeys(query);
	return (
		<KeysPage
			title={texts.settings.systemKeys}
			intro={TEXTS.system}
			kind="system"
			sorting={sorting}
			onSort={setSorting}
		>
			{(actions, onCreate) => (
				<Loaded data={query.data} query={query}>
					{(keys) =>
						keys.length === 0 && sorting.unused ? (
							<EmptyState title={TEXTS.noneUnused} />
						) : keys.length === 0 ? (
							<NoKeys title={TEXTS.noneSystem} text={TEXTS.noneText} onCreate={onCreate} />
						) : (
							<Table
								label={texts.settings.systemKeys}
								columns={keyColumns("creator", actions)}
								rows={keys}
								rowKey={(key) => key.id}
							/>
						)
					}
				</Loaded>
			)}
		</KeysPage>
	);
}

/** A list of keys, with a button for creating one. */
function KeysPage({
	title,
	intro,
	kind,
	sorting,
	onSort,
	children,
}: {
	title: string;
	intro: string;
	kind: KeyKind;
	sorting: KeySorting;
	onSort: (sorting: KeySorting) => void;
	children: (actions: KeyActions, onCreate: () => void) => ReactNode;
}): ReactNode {
	const [creating, setCreating] = useState(false);
	const [deleting, setDeleting] = useState<ListedKey>();
	const [opened, setOpened] = useState<ListedKey>();
	const create = () => setCreating(true);
	return (
		<SectionPage
			title={title}
			intro={intro}
			action={
				<Button look="primary" onClick={create}>
					<Plus size={14} aria-hidden />
					{TEXTS.create}
				</Button>
			}
		>
			<KeySortingFields sorting={sorting} onChange={onSort} />
			{children({ onDelete: setDeleting, onOpen: setOpened }, create)}
			{creating && <CreateKeyDialog kind={kind} onClose={() => setCreating(false)} />}
			{deleting && <DeleteKeyDialog kind={kind} listed={deleting} onClose={() => setDeleting(undefined)} />}
			{opened && <KeyDialog kind={kind} listed={opened} mayChange onClose={() => setOpened(undefined)} />}
		</SectionPage>
	);
}

function NoKeys({ title, text, onCreate }: { title: string; text: string; onCreate: () => void }): ReactNode {
	return (
		<EmptyState
			icon={<KeyRound size={24} aria-hidden />}
			title={title}
			text={text}
			actions={<Button onClick={onCreate}>{TEXTS.create}</Button>}
		/>
	);
}
