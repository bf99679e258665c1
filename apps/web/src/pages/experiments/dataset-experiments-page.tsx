import type { ReactNode } from "react";

export function DatasetExperimentsPage(): ReactNode {
	return null;
}
