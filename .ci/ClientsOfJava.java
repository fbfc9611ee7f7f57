import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Savepoint;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;

/** JDBC against the server of a policy: what DBeaver does when it connects, lists and asks. */
public class ClientsOfJava {
    static final String QUESTION = "SELECT sex, count(*) FROM people WHERE age = '30-39' GROUP BY sex";
    static String url;
    static String root;

    public static void main(String[] arguments) throws Exception {
        url = "jdbc:postgresql://127.0.0.1:" + arguments[0] + "/people";
        root = arguments[1];
        wrongPasswords();
        List<String> first;
        try (Connection connection = connect(password())) {
            lists(connection.getMetaData());
            startOfDBeaver(connection);
            first = asks(connection);
            prepared(connection, first);
            fetched(connection, first);
            transactions(connection);
            refused(connection);
        }
        for (int again = 0; again < 3; again++) {
            try (Connection connection = connect(password()); Statement statement = connection.createStatement()) {
                same(rows(statement.executeQuery(QUESTION)), first, "after a new connection");
            }
        }
        System.out.println("JDBC: lists, answers, annotations, refusals, cursors and transactions as a tool for databases uses them");
    }

    static String password() {
        return System.getenv("PGPASSWORD");
    }

    static Connection connect(String password) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "ada");
        properties.setProperty("password", password);
        properties.setProperty("sslmode", "verify-full");
        properties.setProperty("sslrootcert", root);
        properties.setProperty("options", "-c paravent.purpose=statistics");
        properties.setProperty("ApplicationName", "DBeaver 24.2.0 - Main");
        return DriverManager.getConnection(url, properties);
    }

    static void wrongPasswords() {
        for (String password : new String[] {"another password!", "", "a password of nobod"}) {
            try (Connection connection = connect(password)) {
                throw new AssertionError("a wrong password");
            } catch (SQLException error) {
                // The driver itself refuses an empty password.
                check(password.isEmpty() || "28P01".equals(error.getSQLState()), error.getSQLState());
            }
        }
    }

    /** What java.sql.DatabaseMetaData tells. */
    static void lists(DatabaseMetaData data) throws SQLException {
        same(column(data.getTables(null, null, "%", new String[] {"TABLE"}), "TABLE_NAME"), List.of("people"), "tables");
        same(column(data.getTables(null, "public", "peop%", null), "TABLE_NAME"), List.of("people"), "a pattern");
        same(column(data.getTables(null, "public", "nothing", null), "TABLE_NAME"), List.of(), "no table");
        check(column(data.getSchemas(), "TABLE_SCHEM").contains("public"), "schemas");
        check(column(data.getCatalogs(), "TABLE_CAT").contains("people"), "databases");
        ResultSet columns = data.getColumns(null, "public", "people", "%");
        List<String> found = new ArrayList<>();
        while (columns.next()) {
            found.add(columns.getString("COLUMN_NAME") + " " + columns.getString("TYPE_NAME") + " " + columns.getInt("DATA_TYPE") + " " + columns.getInt("ORDINAL_POSITION"));
        }
        // Labels are text, and what nobody may use is not there.
        same(found, List.of("sex text " + Types.VARCHAR + " 1", "age text " + Types.VARCHAR + " 2", "salary int8 " + Types.BIGINT + " 3"), "columns");
        check(new TreeSet<>(column(data.getTypeInfo(), "TYPE_NAME")).containsAll(List.of("int8", "numeric", "text")), "types");
        for (ResultSet nothing : new ResultSet[] {
            data.getPrimaryKeys(null, "public", "people"),
            data.getImportedKeys(null, "public", "people"),
            data.getExportedKeys(null, "public", "people"),
            data.getCrossReference(null, "public", "people", null, "public", "people"),
            data.getIndexInfo(null, "public", "people", false, true),
            data.getProcedures(null, "public", "%"),
            data.getFunctions(null, "public", "%"),
            data.getFunctionColumns(null, "public", "%", "%"),
            data.getProcedureColumns(null, "public", "%", "%"),
            data.getUDTs(null, "public", "%", null),
            data.getBestRowIdentifier(null, "public", "people", DatabaseMetaData.bestRowSession, true),
        }) {
            same(rows(nothing), List.of(), "keys, indexes, functions");
        }
        rows(data.getTablePrivileges(null, "public", "people"));
        rows(data.getColumnPrivileges(null, "public", "people", "%"));
        rows(data.getVersionColumns(null, "public", "people"));
        rows(data.getTableTypes());
        rows(data.getClientInfoProperties());
        check(data.getSQLKeywords() != null && data.getMaxColumnNameLength() == 63, "limits of names");
        check(data.getDatabaseProductName().equals("PostgreSQL") && data.getDatabaseMajorVersion() == 15, "version");
        check(data.getUserName().equals("ada") && data.isReadOnly() == false, "user");
    }

    /** The statements that DBeaver sends by itself, with its own parameters. */
    static void startOfDBeaver(Connection connection) throws SQLException {
        for (String sql : new String[] {
            "SELECT version()",
            "SELECT current_schema(),session_user",
            "SHOW search_path",
            "SELECT * FROM pg_catalog.pg_enum WHERE 1<>1 LIMIT 1",
            "SELECT reltype FROM pg_catalog.pg_class WHERE 1<>1 LIMIT 1",
            "SELECT typcategory FROM pg_catalog.pg_type WHERE 1<>1 LIMIT 1",
            "SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE datname='people'",
            "SELECT a.oid,a.* FROM pg_catalog.pg_roles a ORDER BY a.rolname",
            "SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=n.oid AND d.objsubid=0 AND d.classoid='pg_namespace'::regclass ORDER BY nspname",
            "SELECT t.oid,t.*,c.relkind,format_type(nullif(t.typbasetype, 0), t.typtypmod) as base_type_name, d.description FROM pg_catalog.pg_type t LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid=t.typelem LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid=t.typrelid LEFT OUTER JOIN pg_catalog.pg_description d ON t.oid=d.objoid WHERE t.typname IS NOT NULL AND (c.relkind IS NULL OR c.relkind = 'c') AND (et.typcategory IS NULL OR et.typcategory <> 'C')",
            "SELECT x.oid,x.* FROM pg_catalog.pg_event_trigger x ORDER BY x.oid",
            "select string_agg(word, ',') from pg_catalog.pg_get_keywords() where word <> ALL ('{a,abs,absolute}'::text[])",
        }) {
            try (Statement statement = connection.createStatement()) {
                rows(statement.executeQuery(sql));
            }
        }
        long table;
        try (PreparedStatement statement = connection.prepareStatement("SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr,  pg_catalog.pg_get_partkeydef(c.oid) as partition_key FROM pg_catalog.pg_class c LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_class'::regclass WHERE c.relnamespace=? AND c.relkind not in ('i','I','c')")) {
            statement.setLong(1, 2200);
            ResultSet found = statement.executeQuery();
            check(found.next() && found.getString("relname").equals("people"), "tables of a schema");
            table = found.getLong("oid");
            check(!found.next(), "one table");
        }
        for (String sql : new String[] {
            "SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,dsc.description,dep.objid FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid=c.oid) LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid=ad.adrelid AND a.attnum = ad.adnum) LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid=dsc.objoid AND a.attnum = dsc.objsubid) LEFT OUTER JOIN pg_depend dep on dep.refobjid = a.attrelid AND dep.deptype = 'i' and dep.refobjsubid = a.attnum and dep.classid = dep.refclassid WHERE NOT a.attisdropped AND c.oid=? ORDER BY a.attnum",
            "SELECT c.oid,c.*,t.relname as tabrelname,rt.relnamespace as refnamespace,d.description, case when c.contype='c' then \"substring\"(pg_get_constraintdef(c.oid), 7) else null end consrc_copy FROM pg_catalog.pg_constraint c INNER JOIN pg_catalog.pg_class t ON t.oid=c.conrelid LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid=c.confrelid LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid=c.oid AND d.objsubid=0 AND d.classoid='pg_constraint'::regclass WHERE c.conrelid=? ORDER BY c.oid",
            "SELECT i.*,i.indkey as keys,c.relname,c.relnamespace,c.relam,c.reltablespace,tc.relname as tabrelname,dsc.description FROM pg_catalog.pg_index i INNER JOIN pg_catalog.pg_class c ON c.oid=i.indexrelid INNER JOIN pg_catalog.pg_class tc ON tc.oid=i.indrelid LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid=dsc.objoid WHERE i.indrelid=? ORDER BY tabrelname, c.relname",
        }) {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setLong(1, table);
                int count = rows(statement.executeQuery()).size();
                check(count == (sql.contains("def_value") ? 3 : 0), sql);
            }
        }
    }

    static List<String> asks(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            ResultSet answer = statement.executeQuery(QUESTION);
            ResultSetMetaData shape = answer.getMetaData();
            check(shape.getColumnCount() == 2 && shape.getColumnType(1) == Types.VARCHAR && shape.getColumnType(2) == Types.BIGINT, "the shape of an answer");
            shape.isAutoIncrement(1);
            shape.getTableName(1);
            List<String> first = rows(answer);
            check(first.size() == 2 && first.get(0).startsWith("f|"), first.toString());
            SQLWarning notice = statement.getWarnings();
            check(notice != null && notice.getMessage().contains("cost ε = 0.5"), "the annotation as a notice");
            ResultSet annotation = statement.executeQuery("SELECT annotation FROM paravent.annotation");
            check(annotation.next() && annotation.getString(1).contains("\"role\":\"research\""), "the annotation");
            ResultSet mean = statement.executeQuery("SELECT avg(salary) AS mean FROM people");
            check(mean.next() && mean.getBigDecimal("mean").compareTo(BigDecimal.ZERO) > 0, "a mean");
            return first;
        }
    }

    /** Behind the fifth time the driver keeps the statement on the server and asks for binary cells. */
    static void prepared(Connection connection, List<String> first) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(QUESTION.replace("'30-39'", "?"))) {
            statement.getMetaData();
            statement.getParameterMetaData();
            for (int again = 0; again < 12; again++) {
                statement.setString(1, "30-39");
                same(rows(statement.executeQuery()), first, "prepared");
            }
        }
        try (PreparedStatement statement = connection.prepareStatement("SELECT avg(salary) FROM people WHERE sex = ?")) {
            TreeSet<String> seen = new TreeSet<>();
            for (int again = 0; again < 8; again++) {
                statement.setString(1, "f");
                ResultSet mean = statement.executeQuery();
                check(mean.next(), "a mean");
                seen.add(mean.getBigDecimal(1).toPlainString());
            }
            check(seen.size() == 1, "as text and in binary: " + seen);
        }
        try (PreparedStatement statement = connection.prepareStatement("SELECT typname, current_schemas(true) AS path FROM pg_catalog.pg_type WHERE oid = ?")) {
            for (int again = 0; again < 8; again++) {
                statement.setInt(1, 25);
                ResultSet type = statement.executeQuery();
                check(type.next() && type.getString(1).equals("text"), "a type");
                check(((Object[]) type.getArray(2).getArray()).length == 2, "a list");
            }
        }
        // Numbers and dates are sent in binary, and are constants like every other.
        try (PreparedStatement statement = connection.prepareStatement("SELECT ? AS one, ? AS two, ? AS three")) {
            for (int again = 0; again < 8; again++) {
                statement.setBigDecimal(1, new BigDecimal("-12345.678"));
                statement.setDate(2, java.sql.Date.valueOf("2026-11-17"));
                statement.setInt(3, 7);
                ResultSet same = statement.executeQuery();
                check(same.next() && same.getString(1).equals("-12345.678") && same.getString(2).startsWith("2026-11-17") && same.getString(3).equals("7"), "constants");
            }
        }
    }

    static void fetched(Connection connection, List<String> first) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(1);
            same(rows(statement.executeQuery(QUESTION)), first, "row by row");
            statement.setFetchSize(0);
            statement.execute("DECLARE answers CURSOR FOR " + QUESTION);
            same(rows(statement.executeQuery("FETCH 1 FROM answers")), first.subList(0, 1), "a cursor");
            same(rows(statement.executeQuery("FETCH ALL FROM answers")), first.subList(1, 2), "the rest of it");
            statement.execute("CLOSE answers");
        }
        connection.commit();
        connection.setAutoCommit(true);
    }

    static void transactions(Connection connection) throws SQLException {
        connection.setReadOnly(true);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        connection.getTransactionIsolation();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            Savepoint point = connection.setSavepoint();
            refused(statement, "SELECT id FROM people", "42501");
            refused(statement, QUESTION, "25P02");
            connection.rollback(point);
            rows(statement.executeQuery(QUESTION));
            refused(statement, "SET paravent.purpose = 'statistics'", "25001");
            connection.rollback();
            rows(statement.executeQuery(QUESTION));
            connection.commit();
        }
        connection.setAutoCommit(true);
        connection.setReadOnly(false);
        connection.setSchema("public");
        check("public".equals(connection.getSchema()) && connection.isValid(5), "a connection that is well");
    }

    static void refused(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : new String[] {
                "SELECT id FROM people",
                "SELECT * FROM people",
                "SELECT max(salary) FROM people",
                "SELECT count(*) FROM people WHERE id = 'p17'",
                "DELETE FROM people",
                "SELECT sex, count(*) FROM people GROUP BY sex ORDER BY salary",
            }) {
                refused(statement, sql, "42501");
            }
            refused(statement, "SELECT * FROM pg_catalog.pg_authid", "42P01");
            refused(statement, "SELECT pg_read_file('job.toml')", "42883");
        }
    }

    static void refused(Statement statement, String sql, String state) {
        try {
            statement.execute(sql);
        } catch (SQLException error) {
            check(state.equals(error.getSQLState()), sql + ": " + error.getSQLState() + " " + error.getMessage());
            return;
        }
        throw new AssertionError(sql);
    }

    static List<String> column(ResultSet rows, String name) throws SQLException {
        List<String> all = new ArrayList<>();
        while (rows.next()) {
            all.add(rows.getString(name));
        }
        return all;
    }

    static List<String> rows(ResultSet rows) throws SQLException {
        int width = rows.getMetaData().getColumnCount();
        List<String> all = new ArrayList<>();
        while (rows.next()) {
            StringBuilder row = new StringBuilder();
            for (int place = 1; place <= width; place++) {
                row.append(place > 1 ? "|" : "").append(rows.getString(place));
            }
            all.add(row.toString());
        }
        return all;
    }

    static void same(List<String> found, List<String> wanted, String what) {
        check(found.equals(wanted), what + ": " + found + " instead of " + wanted);
    }

    static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
