import type { z } from "zod";
import { encodeGlobalId } from "#http/global-ids.ts";
import { objectFromJsonText } from "#http/json-values.ts";
import { formatTime } from "#http/wire-times.ts";
import { toHomeOfAnswer } from "../projects/homes.ts";
import type { Counts } from "./change-dataset.ts";
import type { DatasetRow, VersionRow } from "./queries.ts";
import type { ChangedVersion, Dataset, DatasetVersion } from "./schemas.ts";

/** The wire form of a dataset. */
export function toDataset(row: DatasetRow): z.output<typeof Dataset> {
	return {
		id: encodeGlobalId("Dataset", row.id),
		name: row.name,
		description: row.description,
		metadata: objectFromJsonText(row.metadata),
		created_at: formatTime(row.created_at),
		updated_at: formatTime(row.updated_at),
		example_count: row.example_count,
		...toHomeOfAnswer(row.project_id),
	};
}

/** The wire form of a version. */
export function toVersion(row: VersionRow): z.output<typeof DatasetVersion> {
	return {
		version_id: encodeGlobalId("DatasetVersion", row.id),
		description: row.description,
		metadata: objectFromJsonText(row.metadata),
		created_at: formatTime(row.created_at),
		created_count: row.created_examples,
		updated_count: row.updated_examples,
		deleted_count: row.deleted_examples,
		example_count: row.example_count,
	};
}

/** The wire form of a change's result. */
export function toChange(datasetId: number, versionId: number, counts: Counts): z.output<typeof ChangedVersion> {
	return {
		dataset_id: encodeGlobalId("Dataset", datasetId),
		version_id: encodeGlobalId("DatasetVersion", versionId),
		num_created_examples: counts.created,
		num_updated_examples: counts.updated,
		num_deleted_examples: counts.deleted,
	};
}
