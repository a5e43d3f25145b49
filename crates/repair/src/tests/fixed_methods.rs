//! Faulty methods, each with the fix that a maintainer would write.

/// Pairs of faulty and fixed code.
pub(super) const FAULTY_AND_FIXED_METHODS: &[(&str, &str)] = &[
    ("boolean f(int i, int n) { return i < n; }", "boolean f(int i, int n) { return i <= n; }"),
    ("int f(int i) { return all[i]; }", "int f(int i) { return all[i - 1]; }"),
    ("int f(int i, int j) { return add(i, j); }", "int f(int i, int j) { return add(j, i); }"),
    ("int f(int i, int j) { return add(i); }", "int f(int i, int j) { return add(i, j); }"),
    (
        "double f(int i, int j) { int sum = 0; int n = i - j; sum += n * n; return Math.sqrt(sum); }",
        "double f(int i, int j) { double sum = 0; double n = i - j; sum += n * n; return Math.sqrt(sum); }",
    ),
    ("long f(int i, int j) { return i * j; }", "long f(int i, int j) { return (long) i * j; }"),
    (
        "int f(int i, int j, int k) { return i * j / k; }",
        "int f(int i, int j, int k) { return (int) ((long) i * j / k); }",
    ),
    (
        "int f(String s) { return s.length(); }",
        "int f(String s) { if (s == null) { return 0; } return s.length(); }",
    ),
    (
        "boolean f(String s) { return s.isEmpty(); }",
        "boolean f(String s) { return s == null || s.isEmpty(); }",
    ),
    ("void f(String s) { names.remove(s); }", "void f(String s) { names.remove(s); size--; }"),
    (
        "int left;\n    void g(int n) { left += n; }\n    int f(int n) { int k = n / 2; return k; }",
        "int left;\n    void g(int n) { left += n; }\n    int f(int n) { int k = n / 2; left -= k; return k; }",
    ),
    (
        "String f(String k) { return map.get(k); }",
        "String f(String k) { if (map == null) { map = new HashMap<>(); } return map.get(k); }",
    ),
    (
        "void f() { for (String s : names) { names.remove(s); } }",
        "void f() { for (String s : new ArrayList<>(names)) { names.remove(s); } }",
    ),
    (
        "void f() { for (String s : names) { if (s.isEmpty()) { size++; } size += s.length(); } }",
        "void f() { for (String s : names) { if (s.isEmpty()) { size++; continue; } size += s.length(); } }",
    ),
    (
        "List<Integer> ages;\n    void f(int age) { ages.remove(age); }",
        "List<Integer> ages;\n    void f(int age) { ages.remove(Integer.valueOf(age)); }",
    ),
    (
        "int f(int i) { return all[i]; }",
        "int f(int i) { return all[Math.min(i, all.length - 1)]; }",
    ),
    (
        "void f(String s) { size = names.indexOf(s); }",
        "void f(String s) { if (names.indexOf(s) >= 0) { size = names.indexOf(s); } }",
    ),
    (
        "void f(int by) { size += by; }\n    void g(int step) { drop(); }",
        "void f(int by) { size += by; }\n    void g(int step) { drop(); size += step; }",
    ),
    (
        "void f(int by) { size = by; drop(); size++; }",
        "void f(int by) { size = by; try { drop(); } finally { size++; } }",
    ),
    (
        "Map<String, List<String>> all2;\n    void f(String k) { all2.get(k).add(k); }",
        "Map<String, List<String>> all2;\n    void f(String k) { all2.computeIfAbsent(k, missing -> new ArrayList<>()).add(k); }",
    ),
    (
        "boolean f(Object o) { return (Boolean) o; }",
        "boolean f(Object o) { return o instanceof Boolean && (Boolean) o; }",
    ),
    (
        "void f(String[] a, String[] b) { for (int i = 0; i < 3; i++) { size = a[i].length() + b[i].length(); } }",
        "void f(String[] a, String[] b) { for (int i = 0; i < 3; i++) { \
         if (a[i] == null || b[i] == null) { continue; } size = a[i].length() + b[i].length(); } }",
    ),
    (
        "int f(String s) { return Integer.parseInt(s.trim()); }",
        "int f(String s) { if (!s.trim().matches(\"-?[0-9]+\")) { return 0; } return Integer.parseInt(s.trim()); }",
    ),
    (
        "void f(int[] a) { size = a[1]; }",
        "void f(int[] a) { if (a.length <= 1) { return; } size = a[1]; }",
    ),
    (
        "void f(String s, int n) { names.add(s.substring(0, n)); }",
        "void f(String s, int n) { if (n > s.length()) { return; } names.add(s.substring(0, n)); }",
    ),
    (
        "int[] f(int n, int[] a) { int[] b = new int[a.length]; for (int i = 0; i < n; i++) { b[i] = 1; } return b; }",
        "int[] f(int n, int[] a) { int[] b = new int[n]; for (int i = 0; i < n; i++) { b[i] = 1; } return b; }",
    ),
    ("void f(int b) { size = add(1, b); }", "void f(int b) { if (b >= 0) { size = add(1, b); } }"),
    (
        "int first = 0;\n    int f() { return first; }",
        "int first = 1;\n    int f() { return first; }",
    ),
    (
        "int f(int b) { if (b < 0) { throw new IllegalStateException(); } return b; }",
        "int f(int b) { return b; }",
    ),
    (
        "boolean f(List<Integer> l, int i) { return l.get(i) < l.get(0); }",
        "boolean f(List<Integer> l, int i) { return l.get(i) > l.get(0); }",
    ),
    (
        "boolean f(Integer x, int n) { return x > n; }",
        "boolean f(Integer x, int n) { return x >= n; }",
    ),
    (
        "boolean f(String s, String t) { return s == t; }",
        "boolean f(String s, String t) { return s.equals(t); }",
    ),
    (
        "boolean f(String s, String t) { return s != t; }",
        "boolean f(String s, String t) { return !Objects.equals(s, t); }",
    ),
    ("String f(String s, int n) { return s + n; }", "String f(String s, int n) { return n + s; }"),
    ("int f(int a, int b) { return a * (b + 1); }", "int f(int a, int b) { return a * b; }"),
    (
        "int f(int a, int b) { while (a + b > 0 && b > 0) { b--; } return(a - b); }",
        "int f(int a, int b) { while (b > 0) { b--; } return(a - b); }",
    ),
    (
        "int f(int a, int b, int c) { return a - b - c; }",
        "int f(int a, int b, int c) { return c - (a - b); }",
    ),
    (
        "boolean f(boolean a, boolean b) { return a & b; }",
        "boolean f(boolean a, boolean b) { return a && b; }",
    ),
    ("boolean f(int n) { return true; }", "boolean f(int n) { return n == 0; }"),
    (
        "void f(boolean b) { while (true) { drop(); } }",
        "void f(boolean b) { while (b) { drop(); } }",
    ),
    (
        "void f(int n) { for (int i = 0; n < 9; i++) { drop(); } }",
        "void f(int n) { for (int i = 0; i < 9; i++) { drop(); } }",
    ),
    (
        "void f(boolean b, String s) { if (b) names.add(s.trim()); else drop(); }",
        "void f(boolean b, String s) { if (b) { if (s != null) { names.add(s.trim()); } } else drop(); }",
    ),
    (
        "List<String> f(List<String> all, String s) { List<String> out = new ArrayList<>(); out.addAll(names); return out; }",
        "List<String> f(List<String> all, String s) { List<String> out = new ArrayList<>(); out.addAll(all); return out; }",
    ),
    (
        "void f(Set<String> seen, String s) { drop(); }",
        "void f(Set<String> seen, String s) { seen.add(s); drop(); }",
    ),
    (
        "A f(A node) { A last = null; while (node != null) { node = null; } return last; }",
        "A f(A node) { A last = null; while (node != null) { last = node; node = null; } return last; }",
    ),
    (
        "void f(String s) { while (s.length() > 3) { names.add(s.substring(0, 3)); s = s.substring(3); } drop(); }",
        "void f(String s) { while (s.length() > 3) { names.add(s.substring(0, 3)); s = s.substring(3); } names.add(s); drop(); }",
    ),
    (
        "void f(int[] a, int[] b, int i) { b[i] = a[size] + 1; }",
        "void f(int[] a, int[] b, int i) { a[size] = a[size] + 1; }",
    ),
    (
        "void f(Map<String, String> m, String s) { String t = m.get(s) + s; map.put(t, t); }",
        "void f(Map<String, String> m, String s) { String t = m.get(s) + s; m.put(s, t); }",
    ),
    (
        "void put(int n) { size = n; }\n    void f(int n) { drop(); }",
        "void put(int n) { size = n; }\n    void f(int n) { put(n); drop(); }",
    ),
    (
        "boolean f(String s) { if (s == null) { s = null; } return s.isEmpty(); }",
        "boolean f(String s) { if (s == null) { s = \"\"; } return s.isEmpty(); }",
    ),
    (
        "int f(String a, String b) { return f(a.substring(1), b) + f(a, b.substring(1)) + f(a.substring(1), b); }",
        "int f(String a, String b) { return f(a.substring(1), b) + f(a, b.substring(1)) + f(a.substring(1), b.substring(1)); }",
    ),
    ("int f(int k, int n) { return add(k); }", "int f(int k, int n) { return add(k - n); }"),
    ("int f(int[] a) { return add(size); }", "int f(int[] a) { return add(a.length); }"),
    ("int f(List<String> l) { return size; }", "int f(List<String> l) { return l.size(); }"),
    (
        "List<String> f(List<String> l) { return null; }",
        "List<String> f(List<String> l) { return l; }",
    ),
    (
        "int f(int[] a) { int max = 0; for (int i : a) { max = Math.max(i, max); } return max; }",
        "int f(int[] a) { int max = Integer.MIN_VALUE; for (int i : a) { max = Math.max(i, max); } return max; }",
    ),
    ("double f() { return 1.5; }", "double f() { return 0.0; }"),
    ("long f() { return 5L; }", "long f() { return 6L; }"),
    (
        "boolean f(char c) { return c == '<' || c == '>' || c == '<'; }",
        "boolean f(char c) { return c == '<' || c == '>' || c == '>'; }",
    ),
    (
        "void f(int name) { int size = 0; size = name; }",
        "void f(int name) { int size = 0; name = name; }",
    ),
    ("void f(int size) { size = size; }", "void f(int size) { this.size = size; }"),
    (
        "void f() { for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; i++) { drop(); } } }",
        "void f() { for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; j++) { drop(); } } }",
    ),
    (
        "void f(int n) { switch (n) { case 1: drop(); case 2: size = n; } }",
        "void f(int n) { switch (n) { case 1: drop(); break; case 2: size = n; } }",
    ),
    (
        "int f(int n) { return switch (n) { case 1 -> n + 1; default -> n; }; }",
        "int f(int n) { return switch (n) { case 1 -> n - 1; default -> n; }; }",
    ),
    (
        "void f(int n) { switch (n) { case 1: drop(); break; } }",
        "void f(int n) { switch (n) { case 2: drop(); break; } }",
    ),
    (
        "String[] f(int n) { return new String[n]; }",
        "String[] f(int n) { if (n < 0) { return new String[0]; } return new String[n]; }",
    ),
    (
        "A f(int n) { drop(); return this; }",
        "A f(int n) { if (n == 0) { return this; } drop(); return this; }",
    ),
    (
        "char f(String s, int i) { return s.charAt(i); }",
        "char f(String s, int i) { return s.charAt(Math.min(i, s.length() - 1)); }",
    ),
    ("void f(int by) { size /= by; }", "void f(int by) { if (by != 0) { size /= by; } }"),
    (
        "double f(int a, int b) { return (double) (a / b); }",
        "double f(int a, int b) { return (double) a / b; }",
    ),
    (
        "int f(double a, double b) { return (int) a * (int) b; }",
        "int f(double a, double b) { return (int) (a * (int) b); }",
    ),
    ("long f(int a) { return a * 60; }", "long f(int a) { return a * 60L; }"),
    (
        "void f(int n) { if (n > 1) { drop(); } if (n > 0) { drop(); } }",
        "void f(int n) { if (n > 1) { drop(); } else if (n > 0) { drop(); } }",
    ),
    (
        "void f(int n) { if (n > 1) { drop(); } else if (n > 0) { drop(); } }",
        "void f(int n) { if (n > 1) { drop(); } if (n > 0) { drop(); } }",
    ),
    ("int f(int a) { return add(a, 1); }", "int f(int a) { return add(a); }"),
    (
        "Object f(String k) { return (String) map.get(k); }",
        "Object f(String k) { return (String) (map == null ? \"\" : map.get(k)); }",
    ),
    (
        "void f(Map<String, Integer> ages, int age) { for (String s : names) { ages.put(s.trim(), size); } \
         for (String s : names) { size += age; } }",
        "void f(Map<String, Integer> ages, int age) { for (String s : names) { ages.put(s.trim(), size); } \
         for (String s : names) { ages.put(s.trim(), age); } }",
    ),
    (
        "double f(double a, double b) { return Math.abs(a - b); }",
        "double f(double a, double b) { return Math.abs(a - b * b); }",
    ),
    ("boolean f(int i, int n) { return i < n; }", "boolean f(int i, int n) { return i * i < n; }"),
    ("boolean f(int i, int n) { return i < n; }", "boolean f(int i, int n) { return i < n * i; }"),
    (
        "void f(List<String> l, int n) { for (String s : l) { names.add(s); } }",
        "void f(List<String> l, int n) { for (String s : l.subList(n, l.size())) { names.add(s); } }",
    ),
    (
        "void f(List<String> l, int n) { for (String s : l) { names.add(s); } }",
        "void f(List<String> l, int n) { for (String s : l.subList(1, l.size())) { names.add(s); } }",
    ),
    (
        "void f(List<String> l, int n) { names.addAll(l); }",
        "void f(List<String> l, int n) { names.addAll(l.subList(0, n)); }",
    ),
    (
        "void f(String s, int n) { names.add(s); }",
        "void f(String s, int n) { names.add(s.substring(n)); }",
    ),
    ("String f(String s) { return f(s); }", "String f(String s) { return f(s.substring(1)); }"),
    (
        "List<String> f(String s) { return new ArrayList<String>(); }",
        "List<String> f(String s) { return new ArrayList<>(Arrays.asList(s)); }",
    ),
    (
        "List<List<String>> f() { return new ArrayList<>(); }",
        "List<List<String>> f() { return new ArrayList<>(Arrays.asList(new ArrayList<>())); }",
    ),
    (
        "void f(String s) { Set<String> seen = new HashSet<>(); names.addAll(seen); }",
        "void f(String s) { Set<String> seen = new HashSet<>(Arrays.asList(s)); names.addAll(seen); }",
    ),
    // The method returns another type that fits.
    (
        "int small(int a) { return a; }\n    long wide(int a) { return a; }\n    long f(int a) { long b = small(a); return b; }",
        "int small(int a) { return a; }\n    long wide(int a) { return a; }\n    long f(int a) { long b = wide(a); return b; }",
    ),
    // The method of the superclass does more than the one of a field.
    (
        "static class B extends ArrayList<String> { List<String> inner; public void clear() { inner.clear(); } }",
        "static class B extends ArrayList<String> { List<String> inner; public void clear() { super.clear(); } }",
    ),
    // Another exit.
    ("int f(int a) { return add(a); }", "int f(int a) { return 0; }"),
    ("String f(String s) { return s.trim(); }", "String f(String s) { return null; }"),
    (
        "void f(int n) { while (n > 0) { if (n == 3) { break; } n--; } }",
        "void f(int n) { while (n > 0) { if (n == 3) { throw new IllegalArgumentException(\"b\"); } n--; } }",
    ),
    // A step that is too small.
    ("void f(int n) { n++; size = n; }", "void f(int n) { n += 2; size = n; }"),
    (
        "void f(String s, int n) { n++; size = n + s.length(); }",
        "void f(String s, int n) { n += s.length(); size = n + s.length(); }",
    ),
    // The exception is caught.
    (
        "String f(String s) { try { return s.trim(); } catch (IllegalStateException e) { return \"\"; } }",
        "String f(String s) { try { return s.trim(); } catch (IllegalStateException | NullPointerException e) { return \"\"; } }",
    ),
    (
        "String f(String s) { try { return s.trim(); } catch (IllegalStateException e) { throw e; } }",
        "String f(String s) { try { return s.trim(); } catch (NullPointerException e) { return null; } catch (IllegalStateException e) { throw e; } }",
    ),
    // A precondition of the JDK.
    (
        "char[] f(int n) { return Character.toChars(n); }",
        "char[] f(int n) { if (!Character.isValidCodePoint(n)) { return new char[0]; } return Character.toChars(n); }",
    ),
    (
        "StringBuilder f(StringBuilder b) { return b.insert(9, size); }",
        "StringBuilder f(StringBuilder b) { if (b.length() < 9) { return null; } return b.insert(9, size); }",
    ),
    // A predicate of the class.
    (
        "static boolean isOdd(int n) { return n % 2 == 1; }\n    int f(int n) { return n; }",
        "static boolean isOdd(int n) { return n % 2 == 1; }\n    int f(int n) { if (isOdd(n)) { return 0; } return n; }",
    ),
];
