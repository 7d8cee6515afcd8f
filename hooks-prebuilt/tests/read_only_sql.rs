use hooks_prebuilt::ReadOnlySql;
use serde_json::{Value, json};

/// Dialects, and statements that only read.
pub(crate) const READS: &[(&str, &str)] = &[
    ("postgres", "SELECT 1"),
    ("postgres", "select * from users where name = 'DROP TABLE users; --'"),
    (
        "postgres",
        "SELECT u.id, count(*) FROM public.users u LEFT JOIN orders o ON o.user_id = u.id GROUP BY 1 HAVING count(*) > 2 ORDER BY 2 DESC LIMIT 10 OFFSET 5;",
    ),
    ("postgres", "WITH a AS (SELECT 1 AS x), b AS (SELECT * FROM a) SELECT * FROM b UNION ALL SELECT 2"),
    ("postgres", "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 9) SELECT sum(n) FROM t"),
    ("postgres", "SELECT data->>'a', data #>> '{a,b}', tags @> ARRAY['x'], now() - interval '1 day' FROM t"),
    ("postgres", "SELECT \"delete\", \"update\" FROM \"drop\""),
    ("postgres", "SELECT last_update, created FROM t -- delete from t"),
    ("postgres", "SELECT /* update */ 1"),
    ("postgres", "SELECT $$DELETE FROM t$$"),
    ("postgres", "EXPLAIN SELECT * FROM t"),
    ("postgres", "EXPLAIN ANALYZE SELECT * FROM t"),
    ("postgres", "VALUES (1, 'a'), (2, 'b')"),
    (
        "postgres",
        "SELECT rank() OVER (PARTITION BY a ORDER BY b), CASE WHEN a THEN 1 ELSE 2 END, a::int, extract(year FROM d) FROM t",
    ),
    ("postgres", "SELECT * FROM generate_series(1, 10) AS g(x)"),
    ("postgres", "SELECT (a).name, t.file, t.query FROM t"),
    ("mssql", "SELECT * FROM t WITH (NOLOCK)"),
    ("mysql", "SHOW VARIABLES LIKE 'max%'"),
    ("mysql", "SHOW STATUS"),
    ("sqlite", "PRAGMA table_info('t')"),
    ("postgres", "SHOW server_version"),
    ("postgres", "SELECT string_agg(a, ','), coalesce(b, replace(c, 'a', 'b')) FROM t TABLESAMPLE SYSTEM (10)"),
    ("postgres", "SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.x = a.x) c WHERE EXISTS (SELECT 1 FROM d)"),
    ("mysql", "SELECT `delete`, IF(a, 1, 2), REPLACE(a, 'x', 'y') FROM `t` WHERE a <=> NULL LIMIT 5, 10"),
    ("mysql", "SELECT 'it\\'s; DROP TABLE t'"),
    ("mysql", "SHOW TABLES"),
    ("mysql", "DESCRIBE users"),
    ("mysql", "SELECT 1 # DROP TABLE t"),
    ("sqlite", "SELECT json_extract(a, '$.b'), date('now'), ifnull(a, b) FROM t WHERE a LIKE 'x%'"),
    ("mssql", "SELECT TOP 10 [update], name FROM dbo.users WITH (NOLOCK) WHERE name LIKE N'%x%'"),
    ("mssql", "SELECT * FROM t ORDER BY a OFFSET 5 ROWS FETCH NEXT 5 ROWS ONLY"),
    ("bigquery", "SELECT * FROM `project.data.table` WHERE d > DATE_SUB(CURRENT_DATE(), INTERVAL 7 DAY)"),
    ("snowflake", "SELECT a:b::string FROM t QUALIFY row_number() OVER (ORDER BY a) = 1"),
    ("duckdb", "SELECT * EXCLUDE (a) FROM t"),
    ("clickhouse", "SELECT a, count() FROM t FINAL PREWHERE b = 1 GROUP BY a"),
    ("sqlite", "PRAGMA table_info(users)"),
    ("sqlite", "PRAGMA main.index_list(\"users\");"),
    ("sqlite", "SELECT a IS NOT b, a IS b, a IS NULL, b IS NOT NULL FROM t WHERE a GLOB '*x' AND glob('*x', b)"),
    ("mssql", "SELECT JSON_QUERY(data, '$.items'), x.query('/a/b') FROM dbo.orders"),
    ("mssql", "SELECT * FROM db.dbo.t"),
    ("oracle", "SELECT json_query(a, '$.b'), sys_context('USERENV', 'SESSION_USER'), sys_guid() FROM dual"),
    ("bigquery", "SELECT json_query(a, '$.b') FROM t"),
    ("postgres", "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) FROM pg_stat_replication"),
    ("snowflake", "SELECT * FROM table(result_scan(last_query_id()))"),
    ("mysql", "SHOW PROCESSLIST"),
    ("mysql", "SHOW INDEX FROM `a`.t"),
    ("mssql", "SELECT * FROM t (NOLOCK)"),
    ("duckdb", "SHOW ALL TABLES"),
    ("databricks", "SELECT * FROM main.sales.`orders`"),
    ("clickhouse", "SELECT dictGet('d', 'a', 1)"),
    ("oracle", "SELECT http_requests.id, fn_total.a FROM http_requests, app.fn_total"),
    ("sqlite", "SELECT a AS is, t.is, is FROM t WHERE t.is = 1 AND a IS b ORDER BY is"),
];

/// Dialects, and texts that may do more.
pub(crate) const WRITES: &[(&str, &str)] = &[
    ("postgres", ""),
    ("postgres", ";"),
    ("postgres", "SELEC 1"),
    ("postgres", "SELECT 1; SELECT 2"),
    ("postgres", "SELECT 1; DROP TABLE t"),
    ("postgres", "SELECT 1;;DELETE FROM t"),
    ("postgres", "INSERT INTO t VALUES (1)"),
    ("postgres", "UPDATE t SET a = 1"),
    ("postgres", "DELETE FROM t"),
    ("postgres", "DROP TABLE t"),
    ("postgres", "TRUNCATE t"),
    ("postgres", "ALTER TABLE t ADD a int"),
    ("postgres", "CREATE TABLE t (a int)"),
    ("postgres", "CREATE TABLE t AS SELECT 1"),
    ("postgres", "GRANT ALL ON t TO x"),
    ("postgres", "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d"),
    ("postgres", "WITH d AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM d"),
    ("postgres", "WITH d AS (UPDATE t SET a = 1 RETURNING *) SELECT * FROM d"),
    ("postgres", "WITH a AS (SELECT 1), d AS (WITH e AS (DELETE FROM t RETURNING *) SELECT * FROM e) SELECT * FROM d"),
    ("postgres", "WITH a AS (SELECT 1) DELETE FROM t"),
    ("postgres", "WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a"),
    ("postgres", "SELECT * INTO t2 FROM t"),
    ("postgres", "SELECT 1 UNION SELECT * INTO t2 FROM t"),
    ("postgres", "SELECT INTO t2 FROM t"),
    ("redshift", "SELECT INTO t2"),
    ("postgres", "SELECT * FROM (SELECT * INTO t2 FROM t) x"),
    ("postgres", "SELECT * FROM t FOR UPDATE"),
    ("postgres", "SELECT * FROM t FOR NO KEY UPDATE SKIP LOCKED"),
    ("postgres", "SELECT * FROM t FOR SHARE"),
    ("postgres", "SELECT * FROM (SELECT * FROM t FOR UPDATE) x"),
    ("postgres", "EXPLAIN ANALYZE DELETE FROM t"),
    ("postgres", "EXPLAIN (ANALYZE, BUFFERS) UPDATE t SET a = 1"),
    ("postgres", "EXPLAIN ANALYZE WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d"),
    ("postgres", "SET ROLE postgres"),
    ("postgres", "RESET ALL"),
    ("postgres", "BEGIN"),
    ("postgres", "COMMIT"),
    ("postgres", "COMMIT; DROP TABLE t"),
    ("postgres", "COPY t TO PROGRAM 'sh'"),
    ("postgres", "COPY (SELECT 1) TO '/tmp/x'"),
    ("postgres", "DO $$ BEGIN DELETE FROM t; END $$"),
    ("postgres", "CALL p()"),
    ("postgres", "EXECUTE p"),
    ("postgres", "PREPARE p AS DELETE FROM t"),
    ("postgres", "LOCK TABLE t"),
    ("postgres", "VACUUM"),
    ("postgres", "LISTEN x"),
    ("postgres", "NOTIFY x"),
    ("postgres", "SELECT pg_read_file('/etc/passwd')"),
    ("postgres", "SELECT pg_catalog.pg_read_binary_file('/etc/passwd')"),
    ("postgres", "SELECT \"pg_read_file\"('/etc/passwd')"),
    ("postgres", "SELECT PG_READ_FILE /* x */ ('/etc/passwd')"),
    ("postgres", "SELECT * FROM pg_ls_dir('.')"),
    ("postgres", "SELECT * FROM dblink('host=x', 'DELETE FROM t') AS t(a int)"),
    ("postgres", "SELECT lo_import('/etc/passwd')"),
    ("postgres", "SELECT set_config('role', 'x', false)"),
    ("postgres", "SELECT nextval('s')"),
    ("postgres", "SELECT pg_sleep(1000)"),
    ("postgres", "SELECT ('/etc/passwd'::text).pg_read_file"),
    ("postgres", "SELECT (x.a).pg_read_file FROM (SELECT '/x'::text a) x"),
    ("postgres", "SELECT (SELECT '/x'::text).\"pg_read_file\""),
    ("postgres", "SELECT (ARRAY['/x'])[1].pg_ls_dir"),
    ("postgres", "SELECT pg_copy_logical_replication_slot('a', 'b')"),
    ("oracle", "SELECT s.nextval FROM dual"),
    ("snowflake", "SELECT seq.nextval"),
    ("mssql", "SELECT * FROM t WITH (UPDLOCK)"),
    ("mssql", "SELECT * FROM t WITH (TABLOCKX, HOLDLOCK)"),
    ("mysql", "SELECT @a := 1"),
    ("mysql", "SELECT keyring_key_remove('a')"),
    ("duckdb", "SELECT * FROM postgres_execute('a', 'b')"),
    ("sqlite", "PRAGMA journal_mode(delete)"),
    ("sqlite", "PRAGMA table_info = 1"),
    ("sqlite", "PRAGMA user_version = 7"),
    ("postgres", "SELECT pg_stat_reset()"),
    ("postgres", "SELECT pg_logdir_ls()"),
    ("sqlite", "SELECT * FROM fsdir('/')"),
    ("sqlite", "SELECT data FROM zipfile('x.zip')"),
    ("sqlite", "SELECT eval('DROP TABLE t')"),
    ("mysql", "SELECT WAIT_FOR_EXECUTED_GTID_SET('x', 9)"),
    ("mysql", "SELECT SOURCE_POS_WAIT('x', 4)"),
    ("postgres", "SELECT pg_stat_statements_reset()"),
    ("postgres", "SELECT * FROM xpath_table('id', 'x', 'secrets', '/a', 'true') AS t(id int)"),
    ("postgres", "SELECT cron.schedule('x', '* * * * *', 'DELETE FROM t')"),
    ("postgres", "SELECT pg_terminate_backend(1)"),
    ("postgres", "SELECT query_to_xml('DELETE FROM t', true, true, '')"),
    ("postgres", "SELECT 1 WHERE EXISTS (SELECT pg_advisory_lock(1))"),
    ("postgres", "SELECT 1 /*! ; DROP TABLE t */"),
    ("mysql", "SELECT 1 INTO OUTFILE '/tmp/x'"),
    ("mysql", "SELECT * FROM t INTO DUMPFILE '/tmp/x'"),
    ("mysql", "SELECT a INTO @x FROM t"),
    ("mysql", "SELECT LOAD_FILE('/etc/passwd')"),
    ("mysql", "SELECT SLEEP(100)"),
    ("mysql", "SELECT BENCHMARK(1000000, md5('x'))"),
    ("mysql", "SELECT 1 /*!50000 INTO OUTFILE '/tmp/x' */"),
    ("mysql", "/*! DELETE FROM t */"),
    ("mysql", "SELECT 'a\\'; DROP TABLE t; -- '; DROP TABLE t"),
    ("mysql", "REPLACE INTO t VALUES (1)"),
    ("mysql", "LOAD DATA INFILE 'x' INTO TABLE t"),
    ("mysql", "HANDLER t OPEN"),
    ("mysql", "SELECT * FROM t LOCK IN SHARE MODE"),
    ("mysql", "SET GLOBAL x = 1"),
    ("mysql", "KILL 1"),
    ("sqlite", "PRAGMA writable_schema = 1"),
    ("sqlite", "ATTACH DATABASE 'x' AS y"),
    ("sqlite", "SELECT load_extension('x')"),
    ("sqlite", "SELECT writefile('x', 'y')"),
    ("mssql", "SELECT 1 DELETE FROM t"),
    ("mssql", "SELECT 1\nDROP TABLE t"),
    ("mssql", "SELECT 1\nGO\nSELECT 2"),
    ("mssql", "EXEC xp_cmdshell 'dir'"),
    ("mssql", "xp_cmdshell 'dir'"),
    ("mssql", "SELECT * INTO t2 FROM t"),
    ("mssql", "SELECT * FROM OPENROWSET('x', 'y', 'z')"),
    ("mssql", "SELECT * FROM OPENQUERY(x, 'DELETE FROM t')"),
    ("mssql", "WAITFOR DELAY '0:0:9'"),
    ("mssql", "SELECT 1 WAITFOR DELAY '0:0:9'"),
    ("mssql", "DECLARE @x int"),
    ("mssql", "SELECT 1 EXEC sp_who"),
    ("duckdb", "SELECT * FROM 'file.csv'"),
    ("duckdb", "SELECT * FROM read_csv('/etc/passwd')"),
    ("duckdb", "SELECT * FROM \"/etc/passwd\""),
    ("duckdb", "COPY t TO 'x'"),
    ("duckdb", "INSTALL httpfs"),
    ("clickhouse", "SELECT * FROM url('http://x', CSV)"),
    ("clickhouse", "SELECT * FROM file('x')"),
    ("clickhouse", "SELECT * FROM remote('x', 'y')"),
    ("snowflake", "SELECT system$cancel_query('x')"),
    ("bigquery", "SELECT * FROM EXTERNAL_QUERY('x', 'DELETE FROM t')"),
    ("bigquery", "EXECUTE IMMEDIATE 'DELETE FROM t'"),
    ("oracle", "SELECT utl_http.request('http://x') FROM dual"),
    ("oracle", "SELECT * FROM t FOR UPDATE"),
    ("oracle", "SELECT utl_inaddr.get_host_name FROM dual"),
    ("oracle", "SELECT sys.\"UTL_INADDR\".get_host_name FROM dual"),
    ("oracle", "SELECT dbms_xplan.display FROM dual"),
    ("duckdb", "SELECT * FROM \"secrets.csv\""),
    ("duckdb", "SELECT * FROM main.\"*.parquet\""),
    ("duckdb", "SELECT * FROM glob('*')"),
    ("duckdb", "SELECT * FROM query('DELETE FROM t')"),
    ("duckdb", "SELECT * FROM mysql_query('a', 'DELETE FROM t')"),
    ("ansi", "SELECT * FROM postgres_scan('a', 'b', 'c')"),
    ("mysql", "SELECT sys_exec('id')"),
    ("sqlite", "SELECT sys_exec('x')"),
    ("postgres", "SELECT sys_eval('id')"),
    ("postgres", "SELECT duckdb.raw_query('drop table t')"),
    ("postgres", "SELECT * FROM duckdb.query('drop table t')"),
    ("oracle", "SELECT utl_inaddr.get_host_name FROM dual utl_inaddr"),
    ("oracle", "SELECT utl_inaddr, utl_inaddr.get_host_name FROM (SELECT 1 utl_inaddr FROM dual)"),
    ("oracle", "WITH utl_inaddr AS (SELECT 1 a FROM dual) SELECT utl_inaddr.get_host_name FROM utl_inaddr"),
    ("mssql", "SELECT * FROM linked.db.dbo.t"),
    ("postgres", "SELECT pg_wal_replay_pause()"),
    ("sqlite", "PRAGMA journal_mode(wal)"),
    ("sqlite", "PRAGMA writable_schema(on)"),
    ("snowflake", "SHOW WAREHOUSES ->> DROP TABLE t"),
    ("postgres", "SHOW a (SELECT 1)"),
    ("mssql", "SELECT * FROM t (UPDLOCK)"),
    ("mssql", "SELECT * FROM t a (NOLOCK, XLOCK)"),
    ("mssql", "SELECT * FROM t AS a (TABLOCKX)"),
    ("mssql", "SELECT * FROM t OPTION (TABLE HINT (t, UPDLOCK))"),
    ("mssql", "SELECT 1 SETUSER"),
    ("databricks", "SELECT * FROM text.`/etc/passwd`"),
    ("databricks", "SELECT * FROM csv.`s3://x`"),
    ("databricks", "SELECT * FROM json.`secrets`"),
    ("databricks", "SELECT secret('a', 'b')"),
    ("databricks", "SELECT ai_gen('x')"),
    ("duckdb", "SELECT * FROM secrets.csv"),
    ("duckdb", "SHOW secrets.csv"),
    ("duckdb", "DESCRIBE a.b.parquet"),
    ("duckdb", "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))"),
    ("duckdb", "SELECT * FROM force_checkpoint('db')"),
    ("duckdb", "SELECT * FROM load_aws_credentials()"),
    ("duckdb", "SELECT * FROM from_substrait('x')"),
    ("duckdb", "SELECT * FROM enable_logging()"),
    ("oracle", "SELECT urifactory.geturi('http://x').getclob() FROM dual"),
    ("oracle", "SELECT sys.urifactory.geturi('http://x') FROM dual"),
    ("oracle", "SELECT dburitype('/x').getclob() FROM dual"),
    ("oracle", "SELECT to_clob(bfilename('DIR', 'x')) FROM dual"),
    ("oracle", "SELECT extractvalue(xmltype('<!DOCTYPE r SYSTEM \"http://x\">'), '/l') FROM dual"),
    ("oracle", "SELECT apex_web_service.make_rest_request('x') FROM dual"),
    ("oracle", "SELECT ctxsys.drithsx.sn(1, 'x') FROM dual"),
    ("snowflake", "SELECT * FROM TABLE(TO_QUERY('DELETE FROM t'))"),
    ("snowflake", "SELECT * FROM TABLE(GETNEXTVAL(s))"),
    ("snowflake", "SELECT SNOWFLAKE.CORTEX.COMPLETE('m', 'x')"),
    ("snowflake", "SELECT get_presigned_url(@s, 'f')"),
    ("bigquery", "SELECT AI.GENERATE('x')"),
    ("clickhouse", "SELECT generateSerialID('x')"),
    ("clickhouse", "SELECT reverseDNSQuery('x')"),
    ("clickhouse", "SELECT * FROM hive('a', 'b', 'c', 'd', 'e')"),
    ("mysql", "SELECT version_tokens_set('a')"),
    ("mysql", "SELECT flush_rewrite_rules()"),
    ("mysql", "SELECT audit_log_rotate()"),
    ("mysql", "SELECT spider_direct_sql('DELETE FROM t')"),
    ("postgres", "SELECT addgeometrycolumn('t', 'g', 4326, 'POINT', 2)"),
    ("postgres", "SELECT add_retention_policy('t', INTERVAL '1 day')"),
    ("postgres", "SELECT pgmq.send('q', '{}')"),
    ("postgres", "SELECT exec_sql('DELETE FROM t')"),
    ("sqlite", "SELECT fileio_write('x', 'y')"),
];

fn of(dialect: &str, more: Value) -> ReadOnlySql {
    let mut with = json!({ "fields": { "*": ["sql"] }, "dialect": dialect });
    with.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(with).unwrap()
}

#[test]
fn what_only_reads_passes_and_nothing_else() {
    let judge = |dialect: &str, sql: &str| of(dialect, json!({})).judge("query", &json!({ "sql": sql }));
    let denied: Vec<_> = READS.iter().filter_map(|(dialect, sql)| Some((sql, judge(dialect, sql).err()?))).collect();
    let passed: Vec<_> = WRITES.iter().filter(|(dialect, sql)| judge(dialect, sql).is_ok()).collect();
    assert!(denied.is_empty() && passed.is_empty(), "denied: {denied:#?}\npassed: {passed:#?}");
    for input in [json!({}), json!({ "sql": 1 }), json!({ "sql": ["SELECT 1"] }), json!("SELECT 1")] {
        assert!(of("postgres", json!({})).judge("query", &input).is_err(), "{input}");
    }
}

/// The parser ends a list of statements at an `END`.
#[test]
fn no_word_is_behind_the_statement() {
    let dialects: std::collections::BTreeSet<_> = READS.iter().map(|(dialect, _)| *dialect).chain(["ansi"]).collect();
    for dialect in dialects {
        for more in
            ["DROP TABLE t", "; DROP TABLE t", ", (SELECT a FROM s)", "JOIN s USING (a)", "UNION SELECT a FROM s"]
        {
            for begin in ["SELECT 1 END", "SELECT a FROM t END", "SELECT 1; END", "SELECT 1 END CONVERSATION x"] {
                let sql = format!("{begin} {more}");
                assert!(of(dialect, json!({ "tables": ["t"] })).check(&sql).is_err(), "{dialect}: {sql}");
            }
        }
        let case = ";SELECT CASE WHEN a > 1 THEN 'END' ELSE 'x' END AS b FROM t;";
        assert_eq!(of(dialect, json!({})).check(case), Ok(()), "{dialect}");
    }
}

#[test]
fn only_listed_tables_are_read() {
    let tables = of("postgres", json!({ "tables": ["users", "public.*"] }));
    for sql in [
        "SELECT * FROM users",
        "SELECT * FROM Public.Orders",
        "SELECT * FROM \"users\", public.\"Orders\"",
        "SELECT * FROM generate_series(1, 10) n, jsonb_each('{}') e, users",
        "WITH x AS (SELECT * FROM users) SELECT * FROM x",
        "WITH x AS (SELECT * FROM users), y AS (SELECT * FROM x) SELECT * FROM y, X WHERE EXISTS (SELECT * FROM x)",
        "WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t), u AS (SELECT * FROM t JOIN u ON true) SELECT * FROM t, u",
        "WITH \"T\" AS (SELECT 1) SELECT * FROM \"T\", (WITH u AS (SELECT * FROM \"T\") SELECT * FROM u) v",
        "SELECT * FROM (WITH x AS (SELECT 1), y AS (SELECT * FROM x) SELECT * FROM y) a, (WITH x AS (SELECT 2) SELECT * FROM x) b",
    ] {
        assert_eq!(tables.check(sql), Ok(()), "{sql}");
    }
    for sql in [
        "SELECT * FROM secrets",
        "SELECT * FROM generate_series(1, (SELECT max(id) FROM secrets)) n",
        "SELECT * FROM generate_series(1, 2) n, secrets",
        "SELECT * FROM load_rows('x')",
        "SELECT 1 WHERE EXISTS (SELECT * FROM secrets)",
        "SELECT * FROM users JOIN pg_shadow ON true",
        "TABLE secrets",
        "SELECT 1 UNION TABLE secrets",
        // A table expression hides a table of its name only where it is defined.
        "WITH secrets AS (SELECT * FROM secrets) SELECT * FROM secrets",
        "WITH a AS (SELECT * FROM secrets), secrets AS (SELECT 1) SELECT * FROM a",
        "WITH RECURSIVE a AS (SELECT * FROM secrets), secrets AS (SELECT 1) SELECT * FROM a",
        "WITH \"Secrets\" AS (SELECT 1) SELECT * FROM secrets",
        "WITH \"secrets\" AS (SELECT 1) SELECT * FROM secrets",
        "WITH secrets AS (SELECT 1) SELECT * FROM \"Secrets\"",
        "WITH secrets AS (SELECT 1) SELECT * FROM private.secrets",
        "SELECT * FROM (WITH secrets AS (SELECT 1) SELECT * FROM secrets) x, secrets",
        "SELECT * FROM secrets, (WITH secrets AS (SELECT 1) SELECT * FROM secrets) x",
        "SELECT (WITH secrets AS (SELECT 1) SELECT 1), s.* FROM secrets s",
        "WITH a AS (WITH secrets AS (SELECT 1) SELECT * FROM secrets) SELECT * FROM secrets",
        "(WITH secrets AS (SELECT 1) SELECT 1) UNION SELECT * FROM secrets",
    ] {
        for (dialect, _) in READS.iter().filter(|(dialect, _)| *dialect != "postgres").chain([&("postgres", "")]) {
            let tables = of(dialect, json!({ "tables": ["users", "public.*"] }));
            assert!(tables.check(sql).is_err(), "{dialect}: {sql}");
        }
    }
    for sql in
        ["SELECT * FROM table('secret.t')", "SELECT * FROM table(secret.t)", "SELECT * FROM public.a, table('t')"]
    {
        assert!(of("snowflake", json!({ "tables": ["public.*"] })).check(sql).is_err(), "{sql}");
    }
    for (dialect, sql) in [
        ("clickhouse", "SELECT joinGet('secrets', 'a', k) FROM users"),
        ("clickhouse", "SELECT dictGetOrDefault('secrets', 'a', k, 1) FROM users"),
        ("mysql", "SHOW CREATE TABLE secrets"),
        ("mysql", "SHOW INDEX FROM secrets"),
        ("duckdb", "SHOW secrets"),
        ("snowflake", "SELECT * FROM TABLE(RESULT_SCAN('id'))"),
        ("snowflake", "SELECT * FROM users, LATERAL load_rows('x')"),
        ("snowflake", "SELECT * FROM SEMANTIC_VIEW(secrets DIMENSIONS a.b)"),
        ("snowflake", "SELECT get_ddl('table', 'secrets')"),
        ("postgres", "SELECT * FROM users, LATERAL load_rows('x') r"),
        ("postgres", "SELECT pg_get_viewdef('secrets')"),
        // In quotes, these are other tables than without.
        ("postgres", "SELECT * FROM \"Users\""),
        ("postgres", "SELECT * FROM \"public.secrets\""),
        ("mysql", "SELECT * FROM `public.secrets`"),
        ("postgres", "SELECT * FROM \"PUBLIC\".orders"),
        ("redshift", "SELECT * FROM \"USERS\""),
        ("snowflake", "SELECT * FROM \"Users\""),
    ] {
        assert!(of(dialect, json!({ "tables": ["users", "public.*"] })).check(sql).is_err(), "{dialect}: {sql}");
    }
    for (dialect, sql) in [
        ("mysql", "SHOW CREATE TABLE users"),
        ("postgres", "SHOW server_version"),
        ("snowflake", "SELECT * FROM users, LATERAL FLATTEN(input => a), TABLE(GENERATOR(ROWCOUNT => 1))"),
        ("postgres", "SELECT * FROM users, LATERAL unnest(a) u"),
    ] {
        assert_eq!(of(dialect, json!({ "tables": ["users"] })).check(sql), Ok(()), "{dialect}: {sql}");
    }
    assert_eq!(of("postgres", json!({ "tables": ["Users"] })).check("SELECT * FROM \"Users\""), Ok(()));
    assert_eq!(of("snowflake", json!({ "tables": ["users"] })).check("SELECT * FROM \"USERS\""), Ok(()));
    assert_eq!(of("bigquery", json!({ "tables": ["p.d.t"] })).check("SELECT * FROM `p.d.t`"), Ok(()));
    assert!(of("postgres", json!({ "functions_denied": ["my_*"] })).check("SELECT my_write()").is_err());
}

#[test]
fn no_statement_is_so_deep_that_it_ends_the_program() {
    let many = |part: &str| format!("SELECT {}1", part.repeat(49_000 / part.len()));
    for part in
        ["1+", "(", "-", "NOT ", "1 AND ", "1::int::", "CASE WHEN ", "(SELECT ", "[", "a.", "1 UNION SELECT ", "f("]
    {
        assert!(of("postgres", json!({})).check(&many(part)).is_err(), "{part}");
        for count in [10, 100, 190, 390] {
            let _ = of("postgres", json!({})).check(&format!("SELECT {}1", part.repeat(count)));
        }
    }
    // A name can be `end`, too, and `INTERVAL` begins an expression.
    for (begin, end) in
        [("INTERVAL ", ""), ("NOT ", ""), ("f(end, ", ")"), ("CASE WHEN a.end THEN ", " END"), ("NOT (", ")")]
    {
        for count in [12, 27, 60, 150] {
            let sql = format!("SELECT {}1{}", begin.repeat(count), end.repeat(count));
            assert!(of("postgres", json!({})).check(&sql).is_err(), "{count} x {begin}");
        }
    }
    let flags = "CASE WHEN a IS NOT NULL AND b NOT IN (1, 2) THEN d - INTERVAL '1 day' ELSE f(a, b) END AS c, ";
    assert_eq!(of("postgres", json!({})).check(&format!("SELECT {}1 FROM t", flags.repeat(100))), Ok(()));
    assert!(of("postgres", json!({})).check(&format!("SELECT {}1 FROM t", flags.repeat(200))).is_err());
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "dialect": "postgre", "table": [] });
    let error = serde_json::from_value::<ReadOnlySql>(wrong).unwrap_err().to_string();
    for part in ["`fields` is missing", "did you mean `postgres`", "did you mean `tables`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}

#[test]
fn a_dialect_may_have_the_name_of_its_database() {
    for (alias, name) in
        [("PostgreSQL", "postgres"), ("mariadb", "mysql"), ("sqlite3", "sqlite"), ("SQLServer", "mssql")]
    {
        assert_eq!(format!("{:?}", of(alias, json!({}))), format!("{:?}", of(name, json!({}))), "{alias}");
    }
}
