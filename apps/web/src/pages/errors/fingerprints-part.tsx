import type { ErrorGroupDetail } from "@spanward/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api } from "../../lib/api.ts";
import { formatInteger } from "../../lib/format.ts";
import { errorsTexts as TEXTS } from "../../texts/errors-en.ts";
import { Button } from "../../ui/button.tsx";
import { FormError } from "../../ui/form-error.tsx";
import { Table, type TableColumn } from "../../ui/table.tsx";
import { GroupPart } from "./group-part.tsx";

type Fingerprint = ErrorGroupDetail["fingerprints"][number];

/** What was merged into the group, to be taken out again. */
export function FingerprintsPart({ group, mayChange }: { group: ErrorGroupDetail; mayChange: boolean }): ReactNode {
	const queries = useQueryClient();
	const takeOut = useMutation({
		mutationFn: (fingerprint: string) =>
			api.post("/v1/error_groups/{error_group_id}/unmerge", {
				path: { error_group_id: group.id },
				body: { fingerprints: [fingerprint] },
			}),
		onSuccess: async () => {
			await queries.invalidateQueries({ queryKey: ["error-group", group.id] });
			await queries.invalidateQueries({ queryKey: ["error-groups"] });
		},
	});
	const { title, count, action } = TEXTS.fingerprintColumn;
	const columns: TableColumn<Fingerprint>[] = [
		{
			key: "title",
			title,
			className: "truncate",
			cell: (row) => <span title={row.fingerprint}>{row.title}</span>,
		},
		{ key: "count", title: count, align: "right", className: "w-16", cell: (row) => formatInteger(row.total_count) },
		...(mayChange
			? [
					{
						key: "action",
						title: action,
						hideTitle: true,
						align: "right" as const,
						className: "w-24",
						cell: (row: Fingerprint) => (
							<Button
								aria-label={TEXTS.takeOutOf(row.title)}
								disabled={takeOut.isPending}
								onClick={() => takeOut.mutate(row.fingerprint)}
							>
								{TEXTS.takeOut}
							</Button>
						),
					},
				]
			: []),
	];
	return (
		<GroupPart title={TEXTS.fingerprints} text={TEXTS.fingerprintsText}>
			<Table
				label={TEXTS.fingerprints}
				columns={columns}
				rows={group.fingerprints}
				rowKey={({ fingerprint }) => fingerprint}
			/>
			<FormError error={takeOut.error} />
			<span role="status" className="text-muted empty:hidden">
				{takeOut.isSuccess && TEXTS.takenOut}
			</span>
		</GroupPart>
	);
}
