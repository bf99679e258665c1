import { useInfiniteQuery } from "@tanstack/react-query";
import Plus from "lucide-react/icons/plus";
import { type ReactNode, useRef, useState } from "react";
import { useMe } from "../../../lib/me.ts";
import { texts } from "../../../texts/en.ts";
import { settingsTexts } from "../../../texts/settings-en.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { useAllPages } from "../../../ui/list-pages.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { Table } from "../../../ui/table.tsx";
import { TypedSearch } from "../../../ui/typed-search.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { SectionPage } from "../section-page.tsx";
import { CreateUserDialog } from "./create-user-dialog.tsx";
import { userColumns } from "./user-columns.tsx";
import { UserDialog, type UserTask } from "./user-dialogs.tsx";
import { type User, userPages } from "./user-queries.ts";

const TEXTS = settingsTexts.users;

export function UsersPage(): ReactNode {
	const query = useInfiniteQuery(userPages);
	const [words, setWords] = useState("");
	const [creating, setCreating] = useState(false);
	const [task, setTask] = useState<UserTask>();
	const [done, setDone] = useState("");
	const field = useRef<HTMLInputElement>(null);
	const users = query.data?.pages.flatMap((page) => page.data);
	useAllPages(query, words !== "");
	useTableKeys(query, { searchField: field });
	return (
		<SectionPage
			title={texts.settings.users}
			intro={TEXTS.intro}
			action={
				<Button look="primary" onClick={() => setCreating(true)}>
					<Plus size={14} aria-hidden />
					{TEXTS.create}
				</Button>
			}
		>
			<div className="flex flex-wrap items-center gap-3">
				<TypedSearch label={TEXTS.search} words={words} onWords={setWords} inputRef={field} />
				<span role="status" className="text-muted">
					{done}
				</span>
			</div>
			<Loaded data={users} query={query}>
				{(all) => (
					<Users
						users={all.filter((user) => matches(user, words))}
						words={words}
						onTask={setTask}
						onShowAll={() => setWords("")}
					/>
				)}
			</Loaded>
			<MoreRows query={query} what={TEXTS.label} />
			{creating && <CreateUserDialog onClose={() => setCreating(false)} onDone={setDone} />}
			{task && <UserDialog task={task} onClose={() => setTask(undefined)} onDone={setDone} />}
		</SectionPage>
	);
}

function matches(user: User, words: string): boolean {
	const lower = words.toLowerCase();
	return user.username.toLowerCase().includes(lower) || user.email.toLowerCase().includes(lower);
}

function Users({
	users,
	words,
	onTask,
	onShowAll,
}: {
	users: readonly User[];
	words: string;
	onTask: (task: UserTask) => void;
	onShowAll: () => void;
}): ReactNode {
	const me = useMe();
	if (users.length === 0) {
		return (
			<EmptyState title={TEXTS.noMatch(words)} actions={<Button onClick={onShowAll}>{TEXTS.clearSearch}</Button>} />
		);
	}
	return <Table label={TEXTS.label} columns={userColumns(me?.id, onTask)} rows={users} rowKey={(user) => user.id} />;
}
