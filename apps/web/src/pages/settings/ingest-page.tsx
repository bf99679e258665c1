import type { ReactNode } from "react";
import { texts } from "../../texts/en.ts";

export function IngestPage(): ReactNode {
	return <h1>{texts.ingest.title}</h1>;
}
