/** What keeps the ledger of what was spent equal to what stored spans give. */
export interface SpendLedger {
	/** The hours in which stored spans start, the latest first, in each the projects by row number. @throws StorageUnavailable */
	listHours(): Promise<readonly HourOfProject[]>;
	/**
	 * Counts what the stored spans of a quarter of an hour (counted since 1970) have spent, and corrects the ledger where it
	 * says something else; what was spent by deleted spans stays. Others may write meanwhile.
	 * @throws StorageUnavailable
	 */
	recount(projectId: number, quarter: number): Promise<void>;
}

export interface HourOfProject {
	readonly projectId: number;
	/** Counted since 1970. */
	readonly hour: number;
}
