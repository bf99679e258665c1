import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import Blocks from "lucide-react/icons/blocks";
import { type ReactNode, useState } from "react";
import { useCan } from "../../../lib/me.ts";
import { connectedAppsTexts } from "../../../texts/connected-apps-en.ts";
import { texts } from "../../../texts/en.ts";
import { Button } from "../../../ui/button.tsx";
import { EmptyState } from "../../../ui/empty-state.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { MoreRows } from "../../../ui/more-rows.tsx";
import { Table } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { OwnOrAll } from "../own-or-all.tsx";
import { SectionPage } from "../section-page.tsx";
import { type GrantActions, grantColumns, type ListedGrant, programNameOf } from "./grant-columns.tsx";
import { EndGrantDialog, GrantDialog } from "./grant-dialogs.tsx";
import { grantPages, ownGrantsQuery } from "./program-queries.ts";
import { ProgramsOff } from "./programs-off.tsx";

const route = getRouteApi("/settings/apps");
const TEXTS = connectedAppsTexts.apps;

/** The programs that act for somebody: one's own, and for admins everybody's. */
export function AppsPage(): ReactNode {
	const { show, client } = route.useSearch();
	const navigate = route.useNavigate();
	const can = useCan();
	const [ending, setEnding] = useState<ListedGrant>();
	const [opened, setOpened] = useState<ListedGrant>();
	const [hasEnded, setEnded] = useState(false);
	const showsAll = show === "all" && can("admin");
	const actions = { onEnd: setEnding, onOpen: setOpened };
	return (
		<SectionPage title={texts.settings.apps} intro={showsAll ? TEXTS.introAll : TEXTS.intro}>
			<ProgramsOff />
			{can("admin") && <OwnOrAll showsAll={showsAll} onChange={(search) => void navigate({ search })} texts={TEXTS} />}
			{showsAll ? <AllGrants client={client} actions={actions} /> : <OwnGrants actions={actions} />}
			<p role="status" className="text-muted">
				{hasEnded && TEXTS.ended}
			</p>
			{ending && <EndGrantDialog grant={ending} onClose={() => setEnding(undefined)} onEnded={() => setEnded(true)} />}
			{opened && <GrantDialog grant={opened} onClose={() => setOpened(undefined)} />}
		</SectionPage>
	);
}

function OwnGrants({ actions }: { actions: GrantActions }): ReactNode {
	const query = useQuery(ownGrantsQuery);
	useTableKeys(query);
	return (
		<Loaded data={query.data} query={query}>
			{(grants) =>
				grants.length === 0 ? (
					<EmptyState icon={<Blocks size={24} aria-hidden />} title={TEXTS.none} text={TEXTS.noneText} />
				) : (
					<Table
						label={texts.settings.apps}
						columns={grantColumns(false, actions)}
						rows={grants}
						rowKey={({ id }) => id}
					/>
				)
			}
		</Loaded>
	);
}

function AllGrants({ client, actions }: { client: string | undefined; actions: GrantActions }): ReactNode {
	const query = useInfiniteQuery(grantPages(client));
	const navigate = route.useNavigate();
	useTableKeys(query);
	const grants = query.data?.pages.flatMap((page) => page.data);
	const first = grants?.[0];
	return (
		<>
			{client !== undefined && (
				<div className="flex flex-wrap items-center gap-2">
					{first && <bdi>{TEXTS.onlyClient(programNameOf(first.client))}</bdi>}
					<Button onClick={() => void navigate({ search: { show: "all" } })}>{TEXTS.everyClient}</Button>
				</div>
			)}
			<Loaded data={grants} query={query}>
				{(listed) =>
					listed.length === 0 ? (
						<EmptyState title={client === undefined ? TEXTS.noneAll : TEXTS.noneOfClient} />
					) : (
						<Table
							label={texts.settings.apps}
							columns={grantColumns(true, actions)}
							rows={listed}
							rowKey={({ id }) => id}
						/>
					)
				}
			</Loaded>
			<MoreRows query={query} what={texts.settings.apps} />
		</>
	);
}
