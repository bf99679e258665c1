import type { StorageNode } from "@spanward/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { api } from "../../../lib/api.ts";
import { formatBytes, formatInteger, UNKNOWN } from "../../../lib/format.ts";
import { useIsPhone } from "../../../lib/media.ts";
import { storageTexts as TEXTS } from "../../../texts/storage-en.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Loaded } from "../../../ui/listed.tsx";
import { RelativeTime } from "../../../ui/relative-time.tsx";
import { Table, type TableColumn } from "../../../ui/table.tsx";
import { useTableKeys } from "../../../ui/use-table-keys.ts";
import { adviceFor, nodeKey } from "./node-advice.ts";
import { StateChip } from "./storage-state.tsx";

const route = getRouteApi("/settings/storage");
const REFRESH_MS = 15_000;

/** More than a server can have. */
const ALL = 1_000;

const nodesQuery = queryOptions({
	queryKey: ["storage-nodes"],
	queryFn: async ({ signal }) => (await api.get("/v1/storage/nodes", { query: { limit: ALL }, signal })).data,
	staleTime: 0,
	refetchInterval: REFRESH_MS,
});

/** The servers that have the traces, for admins; the one in the address is open. */
export function NodesSection(): ReactNode {
	const query = useQuery(nodesQuery);
	const { node: openKey } = route.useSearch();
	useTableKeys(query);
	return (
		<section aria-label={TEXTS.nodes} className="flex flex-col gap-2 border-line border-t pt-4">
			<h2 className="font-semibold text-lg">{TEXTS.nodes}</h2>
			<Loaded data={query.data} query={query}>
				{(nodes) => (
					<>
						<p className="text-muted">{summaryOf(nodes)}</p>
						<Nodes nodes={nodes} />
						{openKey !== undefined && <NodeDialog node={nodes.find((node) => nodeKey(node) === openKey)} />}
					</>
				)}
			</Loaded>
		</section>
	);
}

function summaryOf(nodes: readonly StorageNode[]): string {
	const ill = nodes.filter((node) => adviceFor(node) !== undefined).length;
	if (nodes.length === 1) return ill === 0 ? TEXTS.oneWell : TEXTS.oneIll;
	return ill === 0 ? TEXTS.allWell(nodes.length) : TEXTS.someIll(ill, nodes.length);
}

function Nodes({ nodes }: { nodes: readonly StorageNode[] }): ReactNode {
	if (!useIsPhone()) return <Table label={TEXTS.nodes} columns={COLUMNS} rows={nodes} rowKey={nodeKey} />;
	return (
		<ul aria-label={TEXTS.nodes} className="flex flex-col gap-3">
			{nodes.map((node) => (
				<li key={nodeKey(node)} data-row className="rounded border border-line p-3">
					<NodeName node={node} />
					<NodeFacts node={node} />
				</li>
			))}
		</ul>
	);
}

const COLUMNS: readonly TableColumn<StorageNode>[] = [
	{ key: "node", title: TEXTS.column.node, cell: (node) => <NodeName node={node} /> },
	{ key: "state", title: TEXTS.column.state, className: "w-28", cell: ({ state }) => <StateChip state={state} /> },
	{ key: "free", title: TEXTS.column.free, align: "right", className: "w-40", cell: freeText },
	{
		...{ key: "parts", title: TEXTS.column.parts, align: "right", className: "w-16 max-lg:hidden" },
		cell: ({ active_parts_max: parts }) => formatInteger(parts),
	},
	{
		...{ key: "merges", title: TEXTS.column.merges, align: "right", className: "w-20 max-lg:hidden" },
		cell: ({ merges }) => formatInteger(merges),
	},
	{ key: "delay", title: TEXTS.column.delay, align: "right", className: "w-24 max-lg:hidden", cell: delayText },
];

function freeText({ free_bytes: free, total_bytes: total }: StorageNode): string {
	return free === null ? UNKNOWN : TEXTS.free(formatBytes(free), formatBytes(total));
}

function delayText({ delay_seconds: delay }: StorageNode): string {
	return delay === null ? UNKNOWN : TEXTS.seconds(Math.ceil(delay));
}

function NodeName({ node }: { node: StorageNode }): ReactNode {
	return (
		<>
			<Link
				to="/settings/storage"
				search={{ node: nodeKey(node) }}
				className="block truncate font-medium hover:underline"
				title={TEXTS.position(node.shard, node.replica)}
			>
				{node.host}
			</Link>
			<Advice node={node} />
		</>
	);
}

function Advice({ node }: { node: StorageNode }): ReactNode {
	const advice = adviceFor(node);
	return advice && <span className="block whitespace-normal text-sm text-warn [overflow-wrap:anywhere]">{advice}</span>;
}

function NodeFacts({ node }: { node: StorageNode }): ReactNode {
	const { last_error: error } = node;
	return (
		<dl className="grid grid-cols-[7rem_1fr] gap-y-1 pt-2">
			<Fact name={TEXTS.column.state}>
				<StateChip state={node.state} />
			</Fact>
			<Fact name={TEXTS.version}>{node.version ?? UNKNOWN}</Fact>
			<Fact name={TEXTS.column.free}>{freeText(node)}</Fact>
			<Fact name={TEXTS.column.parts} text={TEXTS.partsText}>
				{formatInteger(node.active_parts_max)}
			</Fact>
			<Fact name={TEXTS.column.merges}>{formatInteger(node.merges)}</Fact>
			<Fact name={TEXTS.column.delay}>{delayText(node)}</Fact>
			<Fact name={TEXTS.queue} text={TEXTS.queueText}>
				{formatInteger(node.queue_size)}
			</Fact>
			<Fact name={TEXTS.lastError}>
				{error ? (
					<>
						<span className="font-mono text-sm [overflow-wrap:anywhere]">{error.message}</span>{" "}
						<RelativeTime time={error.at} className="text-muted" />
					</>
				) : (
					TEXTS.noError
				)}
			</Fact>
		</dl>
	);
}

function Fact({ name, text, children }: { name: string; text?: string; children: ReactNode }): ReactNode {
	return (
		<>
			<dt className="text-muted">{name}</dt>
			<dd title={text} className="min-w-0">
				{children}
			</dd>
		</>
	);
}

/** All of a node, or that it is gone. */
function NodeDialog({ node }: { node: StorageNode | undefined }): ReactNode {
	const navigate = route.useNavigate();
	const close = () => void navigate({ search: {}, replace: true });
	return (
		<Dialog open onOpenChange={close} title={node?.host ?? TEXTS.nodes}>
			<div className="overflow-auto p-4">
				{node ? (
					<>
						<p className="text-muted">{TEXTS.position(node.shard, node.replica)}</p>
						<Advice node={node} />
						<NodeFacts node={node} />
					</>
				) : (
					<p>{TEXTS.noNode}</p>
				)}
			</div>
		</Dialog>
	);
}
