/** Settings of a user's profile that would change answers or shorten them if statements did not say otherwise. */
export const HARMFUL_PROFILE = {
	...{ async_insert: 1, wait_for_async_insert: 0 },
	...{ transform_null_in: 1, join_use_nulls: 1, aggregate_functions_null_for_empty: 1 },
	...{ union_default_mode: "DISTINCT", date_time_output_format: "unix_timestamp", prefer_column_name_to_alias: 1 },
	...{ empty_result_for_aggregation_by_empty_set: 1, limit: 1, use_query_cache: 1 },
	...{ timeout_overflow_mode: "break", read_overflow_mode: "break", set_overflow_mode: "break" },
	...{ result_overflow_mode: "break", max_result_rows: 1 },
} as const;
