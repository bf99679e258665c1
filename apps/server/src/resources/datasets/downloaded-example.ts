import type { z } from "zod";
import type { DatasetExampleInSplits } from "./schemas.ts";

export type DownloadedExample = z.output<typeof DatasetExampleInSplits>;
