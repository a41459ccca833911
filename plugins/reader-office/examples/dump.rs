fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).unwrap();
        let ext = path.rsplit('.').next().unwrap();
        println!("##### {path}");
        let t = std::time::Instant::now();
        match reader_office::read(&bytes, ext) {
            Ok(c) => {
                println!("title={:?}\nmeta={:?}", c.title, c.metadata);
                println!("{}", c.markdown.chars().take(3000).collect::<String>());
                for p in &c.parts { println!("PART {:?} {} {:?}", p.name, p.bytes.len(), String::from_utf8_lossy(&p.bytes[..p.bytes.len().min(60)])); }
                for t in &c.tables { println!("TABLE {:?} {:?}", t.name, t.data); }
                println!("places={:?} warnings={:?}", c.places, c.warnings);
            }
            Err(e) => println!("ERR {e:?}"),
        }
        eprintln!("{path} {:?}", t.elapsed());
    }
}
