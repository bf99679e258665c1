/** Hours of projects that repairs have changed, so that they are to be counted. */
export class TouchedHours {
	readonly #hours = new Map<string, readonly [projectId: number, hour: number]>();

	readonly add = (projectId: number, hour: number): void => {
		this.#hours.set(`${projectId} ${hour}`, [projectId, hour]);
	};

	/** Those since the last call. */
	take(): readonly (readonly [projectId: number, hour: number])[] {
		const hours = [...this.#hours.values()];
		this.#hours.clear();
		return hours;
	}
}
